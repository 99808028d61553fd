# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures: VOC2007 -> 224x224 views -> pooled EfficientNet-Lite features (frozen, ImageNet weights)."""
import glob, os, sys, random
import xml.etree.ElementTree as ET
import numpy as np
from PIL import Image
from multiprocessing import Pool

WORK = os.environ.get("MINI_WORK", "work")
TRAINVAL = os.environ.get("VOC_TRAINVAL", "VOCtrainval/VOCdevkit/VOC2007")
TEST = os.environ.get("VOC_TEST", "VOCtest/VOCdevkit/VOC2007")
VOC = "aeroplane bicycle bird boat bottle bus car cat chair cow diningtable dog horse motorbike person pottedplant sheep sofa train tvmonitor".split()


def clip_crop(im):
    """CLIP's own view: shortest side to 224, bicubic, centre crop."""
    w, h = im.size
    s = 224 / min(w, h)
    im = im.resize((max(224, round(w * s)), max(224, round(h * s))), Image.BICUBIC)
    left, top = (im.size[0] - 224) // 2, (im.size[1] - 224) // 2
    return im.crop((left, top, left + 224, top + 224))


def boxes(root, i):
    """(class, difficult, box) for each object of a picture."""
    t = ET.parse(os.path.join(root, "Annotations", i + ".xml")).getroot()
    return [(VOC.index(o.find("name").text), int(o.find("difficult").text),
             [float(o.find("bndbox").find(k).text) for k in ("xmin", "ymin", "xmax", "ymax")]) for o in t.iter("object")]


def truth(objects, window):
    """1 present, 0 absent, -1 unsure (difficult, or mostly cut off) inside the window; the share of the window each class fills."""
    y, area = np.zeros(20, np.int8), np.zeros(20, np.float32)
    wx0, wy0, wx1, wy1 = window
    for k, difficult, (x0, y0, x1, y1) in objects:
        inside = max(0, min(x1, wx1) - max(x0, wx0)) * max(0, min(y1, wy1) - max(y0, wy0))
        share, fill = inside / ((x1 - x0) * (y1 - y0)), inside / ((wx1 - wx0) * (wy1 - wy0))
        if share < 0.1 and fill < 0.1:
            continue
        area[k] += fill
        if difficult or (share < 0.35 and fill < 0.3):
            y[k] = y[k] or -1
        else:
            y[k] = 1
    return y, area


def view(job):
    """One 224x224 view: 'clip' (whole picture, centre), 'shaken' (random crop, flip, light), 'box' (around one object)."""
    root, i, kind, seed = job
    im = Image.open(os.path.join(root, "JPEGImages", i + ".jpg")).convert("RGB")
    w, h = im.size
    objects = boxes(root, i)
    rnd = random.Random(seed)
    if kind == "clip":
        s = min(w, h)
        window = ((w - s) / 2, (h - s) / 2, (w + s) / 2, (h + s) / 2)
        out = clip_crop(im)
    else:
        if kind == "box":
            k, _, (x0, y0, x1, y1) = objects[seed % len(objects)]
            side = max(x1 - x0, y1 - y0) * rnd.uniform(1.0, 1.8)
            side = max(48, min(side, w, h))
            cx, cy = (x0 + x1) / 2 + rnd.uniform(-.1, .1) * side, (y0 + y1) / 2 + rnd.uniform(-.1, .1) * side
            cw = ch = side
        else:
            area, ratio = w * h * rnd.uniform(0.25, 1), np.exp(rnd.uniform(-0.29, 0.29))
            cw, ch = min(w, (area * ratio) ** .5), min(h, (area / ratio) ** .5)
            cx, cy = rnd.uniform(cw / 2, w - cw / 2), rnd.uniform(ch / 2, h - ch / 2)
        l, t = min(max(0, cx - cw / 2), w - cw), min(max(0, cy - ch / 2), h - ch)
        window = (l, t, l + cw, t + ch)
        out = im.resize((224, 224), Image.BICUBIC, box=window)
        if rnd.random() < .5:
            out = out.transpose(Image.FLIP_LEFT_RIGHT)
    a = np.asarray(out)
    if kind == "shaken":
        gain, shift = rnd.uniform(.75, 1.25), rnd.uniform(-25, 25)
        a = np.clip(a.astype(np.float32) * gain + shift, 0, 255).astype(np.uint8)
    y, area = truth(objects, window)
    whole = np.zeros(20, np.int8)                       # VOC's own truth of the whole picture
    for k, d, _ in objects:
        whole[k] = 1 if not d else (whole[k] or -1)
    return a, y, area, whole


def make(name, jobs):
    path = os.path.join(WORK, name)
    with Pool(2) as pool:
        pix = np.lib.format.open_memmap(path + "_pix.npy", "w+", np.uint8, (len(jobs), 224, 224, 3))
        ys, areas, wholes = [], [], []
        for n, (a, y, area, whole) in enumerate(pool.imap(view, jobs, chunksize=32)):
            pix[n] = a
            ys.append(y); areas.append(area); wholes.append(whole)
    np.savez(path + "_truth.npz", y=np.array(ys), area=np.array(areas), whole=np.array(wholes), ids=np.array([j[1] for j in jobs]))
    print(name, len(jobs), flush=True)


def ids(root, split):
    return [l.split()[0] for l in open(os.path.join(root, "ImageSets", "Main", split + ".txt"))]


if __name__ == "__main__":
    os.makedirs(WORK, exist_ok=True)
    tv, te = ids(TRAINVAL, "trainval"), ids(TEST, "test")
    make("clip", [(TRAINVAL, i, "clip", 0) for i in tv])
    rnd = random.Random(0)
    make("box", [(TRAINVAL, i, "box", rnd.randrange(10 ** 6)) for i in tv for _ in range(2)])
    make("shaken", [(TRAINVAL, i, "shaken", rnd.randrange(10 ** 6)) for i in tv for _ in range(2)])
    make("test", [(TEST, i, "clip", 0) for i in te])

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every number of the README. VOC2007 test is read here and nowhere else.   evaluate.py OUT_DIR"""
import json, os, sys, time, glob, subprocess
import numpy as np, torch
import space, heads
from features import session, run
from pictures import WORK, VOC, TEST, clip_crop
from text_onnx import Tower
from train_mini import LITE, VIEWS, vocabulary

SETS = {
 "VOC's names": heads.HUMAN,
 "everyday synonyms": "airplane;bike;birds;ship;bottles;coach;automobile;kitten;seat;cattle;table;puppy;pony;motorcycle;people;houseplant;lamb;couch;locomotive;TV".split(";"),
 "other names": "airliner;two-wheeler;songbird;sailing boat;wine bottle;minibus;motorcar;feline;armchair;bull;kitchen table;hound;stallion;moped;man;pot plant;ewe;settee;railway carriage;screen".split(";"),
}
OUT5 = [5, 7, 16, 17, 18]


def softmax(l):
    e = np.exp(l - l.max(1, keepdims=True)); return e / e.sum(1, keepdims=True)


def per_class(x, truth):
    return np.array([space.ap(x[truth[:, k] >= 0, k], (truth[truth[:, k] >= 0, k] == 1).astype(float)) for k in range(truth.shape[1])])


def unit(a): return a / np.linalg.norm(a, axis=-1, keepdims=True)


def main(out):
    tower = Tower(os.path.join(out, "textual.onnx"), 2)
    path = os.path.join(out, "visual.onnx"); s = session(path, 2)
    pix = np.load(os.path.join(WORK, "test_pix.npy"), mmap_mode="r")
    truth = np.load(os.path.join(WORK, "test_truth.npz"))["whole"]
    cache = os.path.join(WORK, f"test_embeds_{int(os.path.getmtime(path))}.npy")
    if not os.path.exists(cache): np.save(cache, run(s, pix))
    v = unit(np.load(cache))
    np.save(os.path.join(WORK, "test_v.npy"), v)
    res = {}
    print("== (a) VOC2007 test, 4,952 pictures, softmax(100 cos) over 20 names")
    words = vocabulary(); fam, _ = heads.families(words); trained = {words[i] for i in np.where(fam.max(0) > 0)[0]}
    for name, names in SETS.items():
        for f in ("{}", "a photo of a {}"):
            l = 100 * v @ tower([f.format(n) for n in names]).T
            a, b = per_class(l, truth), per_class(softmax(l), truth)
            print(f"{name:20s} {f:16s} mAP logits {100*a.mean():.1f} softmax {100*b.mean():.1f}   names never trained on a VOC picture: {sum(n.lower() not in trained for n in names)}/20")
            if f == "{}": print("      " + "  ".join(f"{n} {100*x:.0f}" for n, x in zip(names, b)))
            if name.startswith("VOC") and f == "{}": full, full_l, lv = b, a, l
    top = softmax(lv); conf = top.max(1); right = truth[np.arange(len(truth)), top.argmax(1)] == 1
    print(f"top-1 over 20 names: right {100*right.mean():.1f} %, mean confidence {100*conf.mean():.1f} %; " + " ".join(f"[{lo:.2f},{hi:.2f}) says {conf[m].mean():.2f} is {right[m].mean():.2f} n {m.sum()};" for lo, hi in ((0, .4), (.4, .6), (.6, .8), (.8, .95), (.95, 1.01)) for m in [(conf >= lo) & (conf < hi)] if m.any()))
    print("== (b) zero-shot")
    z = np.load(os.path.join(WORK, "space.npz")); t, A, goal = z["t"], z["A"], z["goal"]
    F = np.load(os.path.join(WORK, f"feat{LITE}_test.npy")); tv = tower(heads.HUMAN)[:, :256]
    fc = np.load(os.path.join(WORK, f"fc{LITE}.npz"))
    p = softmax(F @ fc["w"].T + fc["b"])
    l0 = heads.logits(torch.tensor(p @ A), torch.tensor(tv)).numpy(); z0l, z0 = per_class(l0, truth), per_class(softmax(l0), truth)
    h5 = heads.train(LITE, VIEWS, words, t, A, goal, without=OUT5, verbose=False)
    a5, b5, l5, _ = heads.evaluate(h5, F, truth, tv)
    demo = np.load("../../voc2007-stream/logits.npy") if os.path.exists("../../voc2007-stream/logits.npy") else None
    dm = per_class(softmax(demo), truth) if demo is not None else np.zeros(20)
    chance = np.array([(truth[truth[:, k] >= 0, k] == 1).mean() for k in range(20)])
    print(f"{'':14s} chance | no VOC at all (softmax, logits) | five held out (softmax, logits) | seen (softmax, logits) | demo model (softmax)")
    for k in range(20): print(f"{heads.HUMAN[k]:14s} {100*chance[k]:5.1f} | {100*z0[k]:5.1f} {100*z0l[k]:5.1f} | {100*b5[k]:5.1f} {100*a5[k]:5.1f} {'*' if k in OUT5 else ' '} | {100*full[k]:5.1f} {100*full_l[k]:5.1f} | {100*dm[k]:5.1f}")
    m = lambda x, k=slice(None): 100 * np.mean(x[k])
    print(f"mean of 20     {m(chance):5.1f} | {m(z0):5.1f} {m(z0l):5.1f} | {m(b5):5.1f} {m(a5):5.1f}   | {m(full):5.1f} {m(full_l):5.1f} | {m(dm):5.1f}")
    print(f"mean of the 5  {m(chance,OUT5):5.1f} | {m(z0,OUT5):5.1f} {m(z0l,OUT5):5.1f} | {m(b5,OUT5):5.1f} {m(a5,OUT5):5.1f} * | {m(full,OUT5):5.1f} {m(full_l,OUT5):5.1f} | {m(dm,OUT5):5.1f}")
    print("== (d) labels bottle, person, potted plant; a label is shown at softmax >= 0.2")
    labs = ["bottle", "person", "potted plant"]; K = [heads.HUMAN.index(x) for x in labs]; tl = tower(labs)
    none = (truth[:, K] == 0).all(1); print("pictures with none of the three:", int(none.sum()))
    bgw = open(os.path.join(out, "background-words.txt")).read().split("\n")[:-1]; tb = tower(bgw); rnd = np.random.RandomState(0)
    ev = open(os.path.join(out, "everyday-words.txt")).read().split("\n")[:-1]; te = tower(ev)
    for name, bg in (("no background", tb[:0]), ("150 of the list", tb[rnd.permutation(len(tb))[:150]]), ("300 of the list", tb[rnd.permutation(len(tb))[:300]]), ("background-words.txt", tb), ("everyday-words.txt", te)):
        for cut in (0.45,):
            b = bg[(bg @ tl.T).max(1) < cut] if len(bg) else bg
            P = softmax(100 * v @ np.concatenate([tl, b]).T)[:, :3]
            show = P >= .2
            print(f"{name:22s} ({len(b):4d} words) shown although none is there: {100*show[none].any(1).mean():5.1f} %   recall " + " ".join(f"{100*show[truth[:,k]==1,i].mean():.0f}" for i, k in enumerate(K)) + "   precision " + " ".join(f"{100*(truth[show[:,i],k]==1).mean():.0f}" for i, k in enumerate(K)) + "   AP " + " ".join(f"{100*x:.0f}" for x in per_class(P, truth[:, K])))
    print("== speed, one thread")
    s1 = session(path, 1); x = np.random.randn(1, 3, 224, 224).astype(np.float32); ts = []
    for i in range(60):
        t0 = time.perf_counter(); s1.run(None, {"pixel_values": x}); ts.append(time.perf_counter() - t0)
    print(f"visual.onnx median {1e3*np.median(ts[5:]):.1f} ms, best {1e3*min(ts):.1f} ms a frame; {os.path.getsize(path)/1e6:.1f} MB")
    t0 = time.perf_counter(); tw1 = Tower(os.path.join(out, "textual.onnx"), 1); t1 = time.perf_counter(); tw1(ev); t2 = time.perf_counter()
    one = [time.perf_counter()]; [(tw1([w]), one.append(time.perf_counter())) for w in ev[:40]]
    print(f"textual.onnx load {t1-t0:.2f} s, {len(ev)} words in {t2-t1:.2f} s, one word {1e3*np.median(np.diff(one)):.1f} ms; {os.path.getsize(os.path.join(out,'textual.onnx'))/1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1])

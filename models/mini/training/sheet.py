# SPDX-License-Identifier: LGPL-2.1-or-later
"""A contact sheet: 24 random VOC test pictures with the top five of everyday-words.txt.   sheet.py OUT_DIR PICTURE [SEED]"""
import os, sys
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from pictures import WORK
from text_onnx import Tower

out, path, seed = sys.argv[1], sys.argv[2], int((sys.argv + ["7"])[3])
v = np.load(os.path.join(WORK, "test_v.npy")); pix = np.load(os.path.join(WORK, "test_pix.npy"), mmap_mode="r"); ids = np.load(os.path.join(WORK, "test_truth.npz"))["ids"]
ev = open(os.path.join(out, "everyday-words.txt")).read().split("\n")[:-1]
l = 100 * v @ Tower(os.path.join(out, "textual.onnx"), 2)(ev).T
p = np.exp(l - l.max(1, keepdims=True)); p /= p.sum(1, keepdims=True)
pick = np.random.RandomState(seed).permutation(len(v))[:24]
font = ImageFont.load_default(15)
im = Image.new("RGB", (6 * 232, 4 * 332), "white"); d = ImageDraw.Draw(im)
for n, i in enumerate(pick):
    x, y = n % 6 * 232 + 4, n // 6 * 332 + 4
    im.paste(Image.fromarray(pix[i]), (x, y))
    for r, j in enumerate(np.argsort(-p[i])[:5]): d.text((x + 2, y + 226 + 19 * r), f"{ev[j]} {p[i, j]:.2f}", fill="black", font=font)
    print(ids[i], ", ".join(f"{ev[j]} {p[i, j]:.2f}" for j in np.argsort(-p[i])[:5]))
im.save(path)

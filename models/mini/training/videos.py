# SPDX-License-Identifier: LGPL-2.1-or-later
"""Top everyday words for every second of a clip.   videos.py OUT_DIR CLIP..."""
import os, sys
import numpy as np, av
from features import session
from pictures import clip_crop
from text_onnx import Tower

out = sys.argv[1]
read = lambda f: open(os.path.join(out, f)).read().split("\n")[:-1]
ev = read("everyday-words.txt"); t = Tower(os.path.join(out, "textual.onnx"), 2)(ev); s = session(os.path.join(out, "visual.onnx"), 2)
for clip in sys.argv[2:]:
    print(os.path.basename(clip)); sec, seen, total = -1, [], []
    def flush():
        if seen:
            p = np.mean(seen, 0); o = np.argsort(-p)[:4]; print(f"  {sec:3d} s  " + ", ".join(f"{ev[j]} {p[j]:.2f}" for j in o))
    n = 0
    for f in av.open(clip).decode(video=0):
        n += 1
        if f.time is None or n % 6: continue
        if int(f.time) != sec: flush(); sec, seen = int(f.time), []
        x = np.asarray(clip_crop(f.to_image().convert("RGB")), np.float32).transpose(2, 0, 1)[None]
        v = s.run(None, {"pixel_values": (x - 127) / 128})[0]; v /= np.linalg.norm(v)
        l = 100 * v[0] @ t.T; p = np.exp(l - l.max()); p /= p.sum(); seen.append(p); total.append(p)
    flush(); p = np.mean(total, 0); print("  all: " + ", ".join(f"{ev[j]} {p[j]:.2f}" for j in np.argsort(-p)[:6]))

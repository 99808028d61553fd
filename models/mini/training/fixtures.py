# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three texts with ids and embeddings, three pictures (from the CC clips, committed next to them) with embeddings.   fixtures.py OUT_DIR CLIP CLIP CLIP"""
import json, os, sys
import numpy as np, av
from features import session
from pictures import clip_crop
from text_onnx import Tower
from PIL import Image

out, clips = sys.argv[1], sys.argv[2:]
d = os.path.join(out, "fixtures"); os.makedirs(d, exist_ok=True)
tw, s = Tower(os.path.join(out, "textual.onnx")), session(os.path.join(out, "visual.onnx"), 1)
texts = ["potted plant", "a photo of a motorbike", "computer keyboard"]
json.dump([{"text": t, "input_ids": tw.bpe(t), "text_embeds": [round(float(x), 6) for x in tw([t])[0]]} for t in texts], open(os.path.join(d, "texts.json"), "w"))
rows = []
for c in clips:
    frames = [f for i, f in zip(range(90), av.open(c).decode(video=0))]; name = os.path.basename(c)[:-4] + ".png"
    im = clip_crop(frames[-1].to_image().convert("RGB")); im.save(os.path.join(d, name))           # already 224x224: no resizing left to differ
    x = (np.asarray(im, np.float32).transpose(2, 0, 1)[None] - 127) / 128
    rows.append({"picture": name, "image_embeds": [round(float(v), 6) for v in s.run(None, {"pixel_values": x})[0][0]]})
json.dump(rows, open(os.path.join(d, "pictures.json"), "w"))
v = np.array([r["image_embeds"] for r in rows]); v /= np.linalg.norm(v, axis=1, keepdims=True)
print(np.round(100 * v @ tw(texts + ["bottle", "car", "flower", "person"]).T, 2))

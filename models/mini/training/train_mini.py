# SPDX-License-Identifier: LGPL-2.1-or-later
#!/usr/bin/env python3
"""Rebuilds mini from packages and VOC2007 trainval:   train_mini.py OUT_DIR      (README.md says where every part comes from)

    1 pictures.py    VOC2007 -> 224x224 views           4 space.py + text_onnx.py   the shared space, textual.onnx
    2 features.py 0  EfficientNet-Lite0 features        5 heads.py                  the image head, visual.onnx
    3 words.py       WordNet, ImageNet's synsets        6 evaluate.py               every number of the README
"""
import json, os, sys
import numpy as np, torch, torch.nn as nn
import background, space, heads, text_onnx
from pictures import WORK
from features import backbone, export

LITE, VIEWS = 0, ["clip", "box", "shaken"]


def vocabulary():
    return sorted(set(space.vocabulary()) | set(heads.HUMAN) | {w for d in heads.EXTRA.values() for w in d})


class Visual(nn.Module):
    """pixel_values -> image_embeds: 256 numbers that meet the text's, 128 that describe the look (norm 1, text has zeros there)."""
    def __init__(self, net, head):
        super().__init__()
        self.net, self.head = net, head

    def forward(self, pixel_values):
        return self.head(self.net.extract_features(pixel_values).mean((2, 3)))


def main(out):
    os.makedirs(out, exist_ok=True); torch.manual_seed(0); torch.set_num_threads(2)
    words, mu, textual = vocabulary(), np.load(os.path.join(WORK, "mu.npy")), os.path.join(out, "textual.onnx")
    text_onnx.build(space.text_map(space.vocabulary()), mu, text_onnx.common_words(), textual, bits=4, ffn=4, att=8)
    tower = text_onnx.Tower(textual, 2)
    A, goal, _, t = space.fit(words, tower)
    for name, ws in (("everyday-words.txt", space.everyday()), ("background-words.txt", background.choose(tower, A))):
        open(os.path.join(out, name), "w").write("\n".join(ws) + "\n")
    np.savez(os.path.join(WORK, "space.npz"), A=A, goal=goal, t=t, words=np.array(words))
    head = heads.train(LITE, VIEWS, words, t, A, goal)
    torch.save(head.state_dict(), os.path.join(WORK, "head.pt"))
    export(Visual(backbone(LITE), head).eval(), os.path.join(out, "visual.onnx"), ["image_embeds"])
    print("visual.onnx", os.path.getsize(os.path.join(out, "visual.onnx")))


if __name__ == "__main__":
    main(sys.argv[1])

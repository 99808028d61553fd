#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the text banks and the bundle.json of mini from its two towers, labels.txt and context-words.txt.

    make.py        needs numpy and onnxruntime; writes beside itself
"""
import pathlib
import sys

import numpy as np
import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "training")]
from clip_bpe import Bpe  # noqa: E402
from make_bundle import SELF_TEST_NUMBERS, read_labels, sha256, test_picture, write_manifest, write_safetensors  # noqa: E402

VOCABULARY = HERE.parent.parent / "src/tokenize/vocabulary/bpe_simple_vocab_16e6.txt.gz"
SIZE, MEAN, STD = 224, [127 / 255] * 3, [128 / 255] * 3
SELF_TEST_TEXT = "potted plant"
DESCRIPTION = (
    "A small open-vocabulary model that is not CLIP. It takes any words and knows PASCAL VOC's 20 nouns, their close synonyms and "
    "some words near ImageNet's classes; it mostly does not know scenes, materials, flowers or actions."
)


def session(name):
    return onnxruntime.InferenceSession(str(HERE / name), providers=["CPUExecutionProvider"])


def main():
    bpe, text, image = Bpe(str(VOCABULARY)), session("textual.onnx"), session("visual.onnx")

    def embed(words):  # one by one, so that no padding can change a digit
        rows = [text.run(["text_embeds"], {"input_ids": np.array([bpe(word)], np.int64)})[0][0] for word in words]
        return np.stack(rows).astype(np.float64)

    for bank, words in (("text_bank", "labels.txt"), ("context_bank", "context-words.txt")):
        names = read_labels(str(HERE / words))
        rows = embed(names)
        write_safetensors(str(HERE / f"{bank}.safetensors"), rows / np.linalg.norm(rows, axis=1, keepdims=True), names)

    picture = image.run(["image_embeds"], {"pixel_values": test_picture(0, SIZE, MEAN, STD)[None]})[0][0].astype(np.float64)
    picture /= np.linalg.norm(picture)
    rounded = [[round(float(value), 6) for value in row[:SELF_TEST_NUMBERS]] for row in (picture, embed([SELF_TEST_TEXT])[0])]
    files = ("visual.onnx", "textual.onnx", "text_bank.safetensors", "context_bank.safetensors")
    write_manifest(
        str(HERE),
        {
            "format": 1,
            "name": "mini",
            "licence": "Apache-2.0, with data under other licences: see NOTICE",
            "description": DESCRIPTION,
            "image": {"size": SIZE, "mean": MEAN, "std": STD, "crop": "rounded"},
            "logit_scale": 100.0,
            "embedding_size": 384,
            "visual": {"file": files[0], "input": "pixel_values", "output": "image_embeds"},
            "textual": {"file": files[1], "ids": "input_ids", "output": "text_embeds", "templates": ["{}"]},
            "text_bank": {"file": files[2], "known_cosine": 0.5},
            "context_bank": {"file": files[3]},
            "presence": {"scale": 0.8, "prior_strength": 0.1, "cut": 0.8, "alias_cosine": 0.7},
            "sha256": {name: sha256(str(HERE / name)) for name in files},
            "self_test": {
                "embedding": rounded[0],
                "text": SELF_TEST_TEXT,
                "tokens": bpe(SELF_TEST_TEXT),
                "text_embedding": rounded[1],
            },
        },
    )


if __name__ == "__main__":
    main()

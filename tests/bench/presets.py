#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Gain and loss of the presets paper and video on several encoders and streams.

    presets.py [--build BUILD] [--keep DIR] [--quick]

One encoder proves nothing about a rule, and the project has scores of one: a small encoder on VOC2007. So others are made from it
(softer, sharper, noisy, squeezed into few dimensions), from VOC2007's truth and CLIP's real text embeddings, and from
nothing: labels with planted topics, with topics that change, and independent ones, where there is nothing to gain.
Everything is seeded. Printed is a table, in Markdown: mAP of plain CLIP, and what each preset adds to it. --quick takes the
first stream only.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
VOC = ROOT / "tests/data/voc2007-stream"


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def scores_of(truth: np.ndarray, rng: np.random.Generator, gain: float, noise: float) -> np.ndarray:
    """Logits: higher for present labels, noise for each label, and a common offset per picture."""
    there = truth * gain * rng.gamma(3, 1 / 3, size=truth.shape)
    return 20 + there + rng.normal(size=truth.shape) * noise + rng.normal(size=(len(truth), 1)) * 1.5


def topics(labels: int, groups: int, each: int, samples: int, seed: int, gain: float, noise: float, change: int = 0):
    """Pictures with labels of one topic; one label in ten is random. With `change`, topics are shuffled after that many pictures."""
    rng = np.random.default_rng(seed)
    topic = np.arange(labels) % groups
    truth = np.zeros((samples, labels), np.int8)
    for t in range(samples):
        if change and t and t % change == 0:
            topic = rng.permutation(topic)
        chosen = rng.choice(np.flatnonzero(topic == rng.integers(groups)), each, replace=False)
        chosen = np.where(rng.random(each) < 0.1, rng.integers(labels, size=each), chosen)
        truth[t, chosen] = 1
    return scores_of(truth, rng, gain, noise), truth


def independent(labels: int, samples: int, seed: int, each: float, gain: float, noise: float):
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.full(labels, 2.0)) * each
    truth = (rng.random((samples, labels)) < share).astype(np.int8)
    return scores_of(truth, rng, gain, noise), truth


def like_clip(truth: np.ndarray, text: np.ndarray, seed: int, noise: float) -> np.ndarray:
    """Pictures that are the sum of the text embeddings of their labels and a common part."""
    rng = np.random.default_rng(seed)
    there = (truth == 1) * rng.gamma(2.0, 0.5, size=truth.shape)
    mean = text.mean(0)
    share = there @ (text - mean) / np.sqrt(np.maximum(1, (there**2).sum(1, keepdims=True)))
    rows = 0.35 * share * rng.uniform(0.6, 1.4, size=(len(truth), 1)) + mean
    rows += rng.normal(size=rows.shape) * noise / np.sqrt(rows.shape[1])
    return 100 * unit(rows) @ text.T


def streams():
    logits, truth, text = (np.load(VOC / f"{name}.npy") for name in ("logits", "truth", "text"))
    order = np.load(VOC / "orders.npy")[0]
    pictures = unit(np.load(VOC / "embeddings.npy").astype(float))
    logits, truth, pictures = logits[order].astype(float), truth[order], pictures[order]
    rng = np.random.default_rng(7)
    noisy = unit(pictures + rng.normal(size=pictures.shape) / np.sqrt(pictures.shape[1]))
    squeeze = rng.normal(size=(pictures.shape[1], 48))
    yield "VOC2007", logits, truth
    yield "the same, logits halved", logits / 2, truth
    yield "the same, logits doubled", logits * 2, truth
    yield "the same, noise as strong as the picture", 100 * noisy @ text.T, truth
    yield "the same, 48 dimensions", 100 * unit(pictures @ squeeze) @ unit(text @ squeeze).T, truth
    yield "VOC2007's truth in CLIP's text space", like_clip(truth, text, 1, 1.0), truth
    yield "the same, noisier", like_clip(truth, text, 2, 1.6), truth
    yield "80 labels, 10 topics", *topics(80, 10, 3, 4000, 3, 4, 1.6)
    yield "80 labels, 10 topics shuffled every 1,500", *topics(80, 10, 3, 6000, 4, 4, 1.6, change=1500)
    yield "300 labels, 30 topics", *topics(300, 30, 4, 2000, 5, 5, 1.3)
    yield "1,000 labels, 20 topics", *topics(1000, 20, 5, 2000, 6, 6, 1.2)
    yield "20 independent labels", *independent(20, 4000, 7, 1.5, 4, 1.6)
    yield "80 independent labels", *independent(80, 4000, 8, 3, 4, 1.6)
    yield "1,000 independent labels", *independent(1000, 2000, 9, 3, 6, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, help="the build tree with gst-bcp (default: the one on the path)")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the arrays there, one folder per stream")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    program = options.build / "tools/gst-bcp/gst-bcp" if options.build else "gst-bcp"
    print("| stream | CLIP, logits | paper | video | CLIP, softmax | paper | video |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, logits, truth) in enumerate(itertools.islice(streams(), 1 if options.quick else None)):
            folder = (options.keep or pathlib.Path(scratch)) / f"{number:02}"
            folder.mkdir(parents=True, exist_ok=True)
            np.save(folder / "logits.npy", logits.astype(np.float32))
            np.save(folder / "truth.npy", truth.astype(np.int8))
            (folder / "name.txt").write_text(name + "\n")
            files = [f"--{key}={folder / key}.npy" for key in ("logits", "truth")]
            subprocess.run([program, "eval", *files, f"--json={folder}/eval.json"], check=True, capture_output=True)
            found = json.loads((folder / "eval.json").read_text())
            if any(found[method] == found["zero_shot"] for method in ("bcp", "bcp_video")):
                sys.exit(f"{name}: a preset gives the figures of plain CLIP, so nothing was corrected")
            cells = [name]
            for ranking in ("logits", "softmax"):
                plain = found["zero_shot"][ranking]
                cells.append(f"{plain:.2f}")
                cells += [f"{found[method][ranking] - plain:+.2f}" for method in ("bcp", "bcp_video")]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

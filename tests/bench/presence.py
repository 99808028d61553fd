#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The effect of each part of the presence rule, and whether a stream's own statistics help. Prints Markdown tables.

    presence.py parts  ARRAYS      the rule without one of its parts
    presence.py stream ARRAYS      BCP's counts blended into the prior, on broad, narrow and other streams; takes some minutes

    ARRAYS: --embeddings E.npy --text T.npy --names FILE --truth Y.npy --context-text C.npy --context-names FILE

Arrays are those of `gst-bcp eval --protocol decision`, with COCO's 80 labels: the narrow streams are cut by label. --quick takes
few frames, to see that the script still works. The rule is written down here once more, in NumPy: the figures of the full rule
must be those of the command.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
from collections.abc import Callable

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
VOC = ROOT / "tests/data/voc2007-stream"
TABLE = ROOT / "src/decide/table/everyday.json"
UNKNOWN = 0.10
LIFT, LIFT_FRAMES, PEAK, PEAK_FRAMES, MOST = 0.25, 20, 0.3, 5, 2  # of the blend
FLOOR = 1e-3  # anchors below this are ignored in the stream's pairs


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows.astype(float), axis=1, keepdims=True)


def log_softmax(scores: np.ndarray) -> np.ndarray:
    scores = scores - scores.max(axis=-1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))


def softmax(scores: np.ndarray) -> np.ndarray:
    return np.exp(log_softmax(scores))


def logit(p: np.ndarray) -> np.ndarray:
    return np.log(p) - np.log1p(-p)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(x, -60, 60)))


# ---- figures, in percent ------------------------------------------------------------------------------------------------------


def f1(shown: np.ndarray, truth: np.ndarray) -> float:
    hits, wrong, missed = (shown & (truth == 1)).sum(), (shown & (truth == 0)).sum(), (~shown & (truth == 1)).sum()
    return 200 * hits / max(1, 2 * hits + wrong + missed)


def average_precision(scores: np.ndarray, truth: np.ndarray) -> float:
    judged = truth >= 0
    ranked = (truth[judged] == 1)[np.argsort(-scores[judged], kind="stable")]
    if not ranked.any():
        return np.nan
    return (np.cumsum(ranked) / np.arange(1, len(ranked) + 1) * ranked).sum() / ranked.sum()


def mean_ap(scores: np.ndarray, truth: np.ndarray) -> float:
    return 100 * float(np.nanmean([average_precision(scores[:, k], truth[:, k]) for k in range(truth.shape[1])]))


def calibration_error(q: np.ndarray, truth: np.ndarray) -> float:
    keep = (truth >= 0) & (q >= 0.1)
    p, present = q[keep], truth[keep] == 1
    bins = np.minimum((p * 15).astype(int), 14)
    return 100 * float(np.abs(np.bincount(bins, p - present, 15)).sum()) / max(1, len(p))


def figures(q: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return np.array([f1(q >= 0.5, truth), f1(q >= 0.35, truth), mean_ap(q, truth), calibration_error(q, truth)])


# ---- the rule -----------------------------------------------------------------------------------------------------------------


class Table:
    def __init__(self, path: pathlib.Path) -> None:
        counts = json.loads(path.read_text())
        single, together = np.array(counts["count"], float), np.array(counts["together"], float)
        self.index = {word: i for i, word in enumerate(counts["labels"])}
        self.rate = single / counts["pictures"]
        self.given = (together + 50 * self.rate[:, None]) / (single[None, :] + 50)

    def conditional(self, labels: list[str], anchors: list[str], strength: float = 1, hidden: frozenset[str] = frozenset(),
                    pairs: bool = True) -> np.ndarray:
        """C[k, a]. `hidden` words are unknown to the table; without `pairs` it has only base rates."""
        at = [None if word in hidden else self.index.get(word) for word in anchors]
        rows = np.full((len(labels), len(anchors)), UNKNOWN)
        for k, i in enumerate(at[: len(labels)]):
            if i is None:
                continue
            rows[k] = [self.rate[i] if j is None or not pairs else self.given[i, j] for j in at]
        rows = strength * np.minimum(rows, 0.995) + (1 - strength) * UNKNOWN
        rows[np.arange(len(labels)), np.arange(len(labels))] = 1
        return rows


def evidence(scores: np.ndarray, labels: int) -> np.ndarray:
    anchors = scores.shape[1]
    alpha = 0.65 + 0.28 * max(0, np.log(anchors / 110))
    return alpha * (log_softmax(scores / 2)[:, :labels] + np.log(anchors))


def presence(scores: np.ndarray, given: np.ndarray, anchors: np.ndarray | None = None, weight: float = 1) -> np.ndarray:
    """q of every frame. `anchors` replaces p; `weight` is that of the evidence."""
    p = softmax(scores) if anchors is None else anchors
    prior = np.clip(p @ given.T, 1e-4, 0.995)
    return sigmoid(logit(prior) + weight * evidence(scores, len(given)) - 0.35)


# ---- the stream's own prior ---------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Blend:
    """BCP's U, m and n, from uncorrected posteriors of the labels, as a term of the prior."""

    lift: float = LIFT
    peak: float = PEAK

    def term(self, p: np.ndarray, U: np.ndarray, m: np.ndarray, n: float) -> np.ndarray:
        """What is added to logit(pi), per label. p: the labels' weights among all anchors."""
        labels = len(m)
        diagonal = np.diag(U)
        usual = 0.5 * diagonal.sum() / m.sum()
        peak = np.clip(np.log((diagonal + PEAK_FRAMES * usual) / (m + PEAK_FRAMES) / usual), -MOST, MOST)
        term = self.peak * (1 - p[:labels]) * peak
        anchors = np.flatnonzero(p[:labels] >= FLOOR)
        if not self.lift or labels < 3:
            return term
        rate = m / n
        lift = np.log((U[:, anchors] + LIFT_FRAMES * rate[:, None]) / (m[anchors] + LIFT_FRAMES)) - np.log(rate)[:, None]
        own = (anchors, np.arange(len(anchors)))
        others = lift.copy()
        others[own] = np.nan
        lift = np.clip(lift - np.nanmedian(others, axis=0), -MOST, MOST)
        lift[own] = 0
        return term + self.lift * lift @ p[anchors]


def stream_presence(scores: np.ndarray, given: np.ndarray, blend: Blend | None) -> np.ndarray:
    """q of a stream's frames in order; each is scored with the statistics of earlier frames."""
    if blend is None:
        return presence(scores, given)
    labels = len(given)
    p, posterior, own = softmax(scores), softmax(scores[:, :labels]), evidence(scores, labels) - 0.35
    prior = logit(np.clip(p @ given.T, 1e-4, 0.995))
    U, m, q = np.zeros((labels, labels)), np.zeros(labels), np.empty((len(scores), labels))
    for t in range(len(scores)):
        term = blend.term(p[t], U, m, t) if t else 0
        q[t] = sigmoid(prior[t] + term + own[t])
        U += np.outer(posterior[t], posterior[t])
        m += posterior[t]
    return q


# ---- data ---------------------------------------------------------------------------------------------------------------------


def lines(path: str) -> list[str]:
    return [line.strip() for line in pathlib.Path(path).read_text().splitlines() if line.strip()]


class Data:
    def __init__(self, options: argparse.Namespace) -> None:
        self.labels, self.truth = lines(options.names), np.load(options.truth)
        pictures, text = unit(np.load(options.embeddings)), unit(np.load(options.text))
        words, vectors = lines(options.context_names), unit(np.load(options.context_text))
        if options.quick:
            pictures, self.truth = pictures[:300], self.truth[:300]
        self.vocabulary = self.labels + [word for word in words if word not in self.labels]
        keep = [i for i, word in enumerate(words) if word not in self.labels]
        self.scores = 100 * pictures @ np.r_[text, vectors[keep]].T
        self.table = Table(TABLE)

    def given(self, **how) -> np.ndarray:
        return self.table.conditional(self.labels, self.vocabulary, **how)

    def has(self, *words: str) -> np.ndarray:
        return (self.truth[:, [self.labels.index(word) for word in words]] == 1).any(axis=1)

    def narrow(self) -> dict[str, np.ndarray]:
        return {
            "broad": np.ones(len(self.truth), bool),
            "kitchen": self.has("oven", "microwave", "refrigerator", "toaster", "sink") & ~self.has("toilet"),
            "street": self.has("traffic light", "stop sign", "parking meter", "fire hydrant", "bus"),
            "no person": ~self.has("person"),
            "no person, indoor": self.has("couch", "bed", "tv", "chair", "dining table") & ~self.has("person"),
            "sport": self.has("sports ball", "baseball bat", "baseball glove", "tennis racket", "frisbee", "skis", "snowboard", "skateboard", "surfboard"),
            "animals": self.has("bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"),
        }


def print_parts(data: Data) -> None:
    labels = len(data.labels)
    p = softmax(data.scores)
    hard = np.eye(p.shape[1])[p.argmax(axis=1)]
    given = data.given()
    not_own = given.copy()
    not_own[np.arange(labels), np.arange(labels)] = [data.table.rate[data.table.index[word]] for word in data.labels]
    hidden = frozenset(data.labels)
    rows = {
        "the rule": presence(data.scores, given),
        "no context words": presence(data.scores[:, :labels], given[:, :labels]),
        "prior strength 0.5": presence(data.scores, data.given(strength=0.5)),
        "base rates, no co-occurrence": presence(data.scores, data.given(pairs=False)),
        "no table: every word 0.10": presence(data.scores, data.given(hidden=hidden)),
        "hard anchor: the likeliest word alone": presence(data.scores, given, anchors=hard),
        "prior alone, no evidence": presence(data.scores, given, weight=0),
        "a label is not its own anchor": presence(data.scores, not_own),
    }
    print("| | F1 at 0.5 | F1 at 0.35 | mAP | ECE |\n| --- | ---: | ---: | ---: | ---: |")
    for name, q in rows.items():
        print(f"| {name} | " + " | ".join(f"{x:.1f}" for x in figures(q, data.truth)) + " |")
    print("\n| stream | pictures | F1, the rule | precision | F1, no table | precision | F1, softmax >= 0.2 | precision |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    plain = softmax(data.scores[:, :labels]) >= 0.2
    for name, part in data.narrow().items():
        truth, cells = data.truth[part], []
        for shown in (rows["the rule"][part] >= 0.5, rows["no table: every word 0.10"][part] >= 0.5, plain[part]):
            cells += [f1(shown, truth), 100 * (shown & (truth == 1)).sum() / max(1, (shown & (truth >= 0)).sum())]
        print(f"| {name} | {part.sum()} | " + " | ".join(f"{x:.1f}" for x in cells) + " |")


# ---- the streams of the blend -------------------------------------------------------------------------------------------------

Case = tuple[np.ndarray, np.ndarray, np.ndarray]  # scores in the order of the stream, C, truth


def in_bunches(truth: np.ndarray, seed: int) -> np.ndarray:
    """Pictures grouped by their rarest label, groups in a random order."""
    rng, counts = np.random.default_rng(seed), (truth == 1).sum(axis=0)
    rarest = np.array([min(np.flatnonzero(row == 1), key=lambda k: counts[k], default=-1) for row in truth])
    return np.concatenate([rng.permutation(np.flatnonzero(rarest == k)) for k in rng.permutation(np.unique(rarest))])


def coco_cases(data: Data, orders: int) -> dict[str, list[Case]]:
    rng, given, truth = np.random.default_rng(7), data.given(), data.truth

    def cases(indices: list[np.ndarray], C: np.ndarray) -> list[Case]:
        return [(data.scores[o], C, truth[o]) for o in indices]

    shuffled = [rng.permutation(len(truth)) for _ in range(orders)]
    found = {name: cases([rng.permutation(np.flatnonzero(part)) for _ in range(orders)], given) for name, part in data.narrow().items()}
    found["broad, labels in bunches"] = cases([in_bunches(truth, seed) for seed in range(3)], given)
    found["broad, first 100 pictures, 20 orders"] = cases([rng.permutation(len(truth))[:100] for _ in range(20)], given)
    hidden = [frozenset(np.random.default_rng(seed).permutation(data.labels)[:20]) for seed in range(orders)]
    found["broad, 20 words unknown"] = [(data.scores[o], data.given(hidden=h), truth[o]) for o, h in zip(shuffled, hidden)]
    found["broad, all words unknown"] = cases(shuffled[:3], data.given(hidden=frozenset(data.labels)))
    for count in (3, 10, 20, 40):
        some = [np.random.default_rng(100 + seed).permutation(len(data.labels))[:count] for seed in range(orders)]
        found[f"broad, {count} labels"] = [few_labels(data, k, shuffled[0]) for k in some]
    return found


def few_labels(data: Data, asked: np.ndarray, order: np.ndarray) -> Case:
    """Only these are labels; all other words are context."""
    columns = [*asked, *(i for i in range(len(data.vocabulary)) if i not in set(asked))]
    words = [data.vocabulary[i] for i in columns]
    return data.scores[np.ix_(order, columns)], data.table.conditional(words[: len(asked)], words), data.truth[np.ix_(order, asked)]


def voc_cases(data: Data, quick: bool) -> dict[str, list[Case]]:
    labels, truth, scores = lines(str(VOC / "labels.txt")), np.load(VOC / "truth.npy"), np.load(VOC / "logits.npy").astype(float)
    if quick:
        truth, scores = truth[:300], scores[:300]
    person, indoor = labels.index("person"), [labels.index(word) for word in ("chair", "couch", "dining table", "tv", "potted plant", "bottle")]
    parts = {"VOC2007": np.ones(len(truth), bool), "VOC2007, no person": truth[:, person] == 0, "VOC2007, indoor": (truth[:, indoor] == 1).any(axis=1)}
    found = {}
    for strength in (0.5, 1):
        given = data.table.conditional(labels, labels, strength)
        for name, part in parts.items():
            orders = [np.random.default_rng(seed).permutation(np.flatnonzero(part)) for seed in (1, 2)]
            found[f"{name}, strength {strength}"] = [(scores[o], given, truth[o]) for o in orders]
    return found


def print_stream(data: Data, quick: bool) -> None:
    cases = coco_cases(data, 2 if quick else 5) | voc_cases(data, quick)
    variants: dict[str, Callable[[], Blend]] = {"lift": lambda: Blend(peak=0), "peak": lambda: Blend(lift=0), "both": Blend}
    print("| stream | F1, table alone | " + " | ".join(f"{name} | worst" for name in variants) + " | both: mAP | ECE |")
    print("| --- | ---: |" + " ---: |" * (2 * len(variants) + 2))
    for name, some in cases.items():
        before = np.array([figures(stream_presence(s, C, None), y) for s, C, y in some])
        cells = [f"{before[:, 0].mean():.1f}"]
        for make in variants.values():
            change = np.array([figures(stream_presence(s, C, make()), y) for s, C, y in some]) - before
            cells += [f"{change[:, 0].mean():+.1f}", f"{change[:, 0].min():+.1f}"]
        cells += [f"{change[:, 2].mean():+.1f}", f"{change[:, 3].mean():+.1f}"]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("parts", "stream"))
    for name in ("embeddings", "text", "names", "truth", "context-text", "context-names"):
        parser.add_argument("--" + name, required=True, metavar="FILE")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    data = Data(options)
    if options.what == "parts":
        print_parts(data)
    else:
        print_stream(data, options.quick)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes up a stream with topics, tags it as bcptagger would, and writes its results and what was learnt.

    report_stream.py RESULTS.jsonl [--prior FILE] [--results N] [--labels N] [--seconds S] [--source NAME] [--append] [--seed N] [--presence]

Scenes follow one another; each has a topic, whose labels are there together. CLIP sees them with noise, and is weak on some.
With --presence the lines are of version 2, and decided label by label. The same arguments give the same file.
"""

import argparse
import json
import struct
import zlib

import numpy as np

NAMES = """person bicycle car motorcycle bus train truck boat traffic-light bench bird cat dog horse sheep cow backpack umbrella
handbag tie suitcase frisbee kite skateboard surfboard bottle glass cup fork knife spoon bowl banana apple sandwich orange
pizza donut cake chair couch plant bed table toilet tv laptop mouse remote keyboard phone microwave oven toaster sink
refrigerator book clock vase scissors""".split()
PER_TOPIC, LEARN_EVERY, SHRINKAGE, MU, THRESHOLD = 4, 10, 5.0, 0.5, 0.2


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


class Adapter:
    """The method, with shrinkage."""

    def __init__(self, labels: int):
        self.pairs, self.single, self.samples = np.zeros((labels, labels)), np.zeros(labels), 0

    def correction(self, p: np.ndarray) -> tuple[np.ndarray, int]:
        anchor = int(p.argmax())
        correction = np.zeros(len(p))
        if p[anchor] <= MU:
            return correction, -1
        if self.samples > 0:
            alone = self.single / self.samples
            given = (self.pairs[anchor] + SHRINKAGE * alone) / (self.single[anchor] + SHRINKAGE)
            correction = np.log(np.maximum(given, 1e-300) / np.maximum(alone, 1e-300))
            correction[anchor] = 0
        return correction, anchor

    def learn(self, p: np.ndarray) -> None:
        self.pairs += np.outer(p, p)
        self.single += p
        self.samples += 1

    def snapshot(self, names: list[str]) -> bytes:
        """See src/prior/snapshot.md."""
        count, texts = len(names), [name.encode() for name in names]
        triangle = self.pairs[np.tril_indices(count)]
        body = b"".join(struct.pack("<I", len(text)) + text for text in texts)
        body += self.single.astype("<f8").tobytes() + triangle.astype("<f8").tobytes()
        length = 48 + len(body) + 4
        head = struct.pack("<8sIIQIIQd", b"BCPPRIOR", 1, 0, length, count, 0, len(triangle), self.samples)
        return head + body + struct.pack("<I", zlib.crc32(head + body))


def line(source: str, time: float, names: list[str], logits: np.ndarray, adapter: Adapter) -> dict:
    plain = softmax(logits)
    correction, anchor = adapter.correction(plain)
    corrected = softmax(logits + correction)
    listed = [k for k in np.argsort(-corrected) if corrected[k] >= THRESHOLD or plain[k] >= THRESHOLD]
    labels = [{"label": names[k], "shown": bool(corrected[k] >= THRESHOLD), "probability": round(float(corrected[k]), 6),
               "logit": round(float(logits[k] + correction[k]), 4), "zero_shot": round(float(logits[k]), 4),
               "correction": round(float(correction[k]), 4), "zero_shot_probability": round(float(plain[k]), 6),
               "zero_shot_shown": bool(plain[k] >= THRESHOLD)} for k in listed]
    return {"version": 1, "source": source, "pts": round(time, 9), "utc": "2026-01-01T12:00:00.000000Z", "inference_pts": round(time, 9),
            "region": None, "anchor": None if anchor < 0 else {"label": names[anchor], "probability": round(float(plain[anchor]), 6)},
            "samples": adapter.samples, "labels": labels}


def presence_line(source: str, time: float, names: list[str], logits: np.ndarray, adapter: Adapter) -> dict:
    """Version 2. Every fourth second shows a street, and nothing of the labels."""
    old, plain = line(source, time, names, logits, adapter), softmax(logits)
    is_street = int(time) % 4 == 3
    evidence = np.log(softmax(logits / 2)) + np.log(len(names)) - 3 * is_street
    prior = np.clip(0.1 + 0.5 * plain, 0.01, 0.99)
    probability = 1 / (1 + np.exp(-(np.log(prior / (1 - prior)) + 1.6 * evidence)))
    labels = [{"label": names[k], "shown": bool(probability[k] >= 0.5), "probability": round(float(probability[k]), 6),
               "softmax": round(float(plain[k]), 6), "prior": round(float(prior[k]), 6), "evidence": round(float(evidence[k]), 4),
               "logit": round(float(logits[k]), 4), "zero_shot": round(float(logits[k]), 4), "correction": 0,
               "zero_shot_softmax": round(float(plain[k]), 6), "zero_shot_shown": bool(plain[k] >= THRESHOLD)}
              for k in np.argsort(-probability) if probability[k] >= 0.5 or plain[k] >= THRESHOLD]
    return {**old, "version": 2, "decision": "presence", "threshold": 0.5, "calibrated": True,
            "context": {"word": "street", "weight": 0.4} if is_street else None, "labels": labels}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("jsonl")
    parser.add_argument("--prior")
    parser.add_argument("--results", type=int, default=1300)
    parser.add_argument("--labels", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=130)
    parser.add_argument("--source", default="cam")
    parser.add_argument("--append", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--presence", action="store_true")
    arguments = parser.parse_args()

    random = np.random.default_rng(arguments.seed)
    names = (NAMES + [f"label {i}" for i in range(arguments.labels)])[:arguments.labels]
    strength = random.uniform(7, 10.5, arguments.labels) + np.log(arguments.labels / 40)
    topics = [random.choice(arguments.labels, PER_TOPIC, replace=False) for _ in range(max(2, arguments.labels // 3))]
    adapter = Adapter(arguments.labels)
    present, noise = np.zeros(arguments.labels), np.zeros(arguments.labels)
    with open(arguments.jsonl, "a" if arguments.append else "w", encoding="utf-8") as out:
        for i in range(arguments.results):
            if i % 40 == 0:
                topic = topics[random.integers(len(topics))]
                present = np.zeros(arguments.labels)
                present[topic[random.random(PER_TOPIC) < 0.75]] = 1
            noise = 0.8 * noise + 0.6 * random.normal(size=arguments.labels)
            logits = 4 + present * (strength - 4) + noise
            time = (i + 1 / 3) * arguments.seconds / arguments.results  # not round: times of frames are not round either
            make = presence_line if arguments.presence else line
            out.write(json.dumps(make(arguments.source, time, names, logits, adapter)) + "\n")
            if i % LEARN_EVERY == 0:
                adapter.learn(softmax(logits))
    if arguments.prior:
        with open(arguments.prior, "wb") as out:
            out.write(adapter.snapshot(names))


if __name__ == "__main__":
    main()

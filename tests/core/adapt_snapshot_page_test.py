#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the golden snapshots with nothing but what src/adapt/snapshot.md says.

Usage: adapt_snapshot_page_test.py DIRECTORY
"""

import struct
import sys
import zlib
from pathlib import Path


def read_prior(data: bytes) -> dict:
    magic, version, flags, length, count, model_size, pairs, samples = struct.unpack_from("<8sIIQIIQd", data)
    assert magic == b"BCPPRIOR" and version == 1 and length == len(data)
    assert zlib.crc32(data[:-4]) == struct.unpack("<I", data[-4:])[0]
    sparse, settled = bool(flags & 1), bool(flags & 2)

    at = 48
    model = data[at : at + model_size].decode()
    at += model_size
    labels = []
    for _ in range(count):
        (size,) = struct.unpack_from("<I", data, at)
        labels.append(data[at + 4 : at + 4 + size].decode())
        at += 4 + size

    def doubles(number: int) -> list[float]:
        nonlocal at
        values = struct.unpack_from(f"<{number}d", data, at)
        at += 8 * number
        return list(values)

    m = doubles(count)
    u = [[0.0] * count for _ in range(count)]
    if sparse:
        r = doubles(count)
        for i in range(count):
            for j in range(count):
                u[i][j] = (r[i] * m[j] + (m[i] - r[i]) * r[j]) / max(samples, 1)
        for _ in range(pairs):
            i, j, value = struct.unpack_from("<IId", data, at)
            at += 16
            u[i][j] += value
            if i != j:
                u[j][i] += value
        u = [[min(u[i][j], m[i], m[j]) for j in range(count)] for i in range(count)]
    else:
        for i in range(count):
            for j, value in enumerate(doubles(i + 1)):
                u[i][j] = u[j][i] = value
    assert at == len(data) - 4
    return {"model": model, "labels": labels, "n": samples, "m": m, "U": u, "sparse": sparse, "settled": settled}


# What the golden snapshots were made from: samples, and the half of what came before that each of them keeps.
FAINT = 1 / 2048
SAMPLES = [[0.5, 0.25, 0.25 - FAINT, FAINT], [0.25, 0.25, 0.0, 0.5], [0.75, 0.125, 0.125, 0.0]]
WEIGHTS = [0.25, 0.5, 1.0]


def main(directory: Path) -> None:
    for name in ("dense", "sparse"):
        prior = read_prior((directory / f"{name}.prior").read_bytes())
        assert prior["labels"] == ["dog", "bicycle", "Straße", "車"], prior
        assert prior["model"] == "0123456789abcdef", prior
        assert prior["sparse"] == prior["settled"] == (name == "sparse"), prior
        assert prior["n"] == sum(WEIGHTS), prior
        assert prior["m"] == [sum(w * p[k] for w, p in zip(WEIGHTS, SAMPLES)) for k in range(4)], prior
        for i in range(4):
            for j in range(4):
                exact = sum(w * p[i] * p[j] for w, p in zip(WEIGHTS, SAMPLES))
                # What is below the floor is taken as independent.
                near = abs(prior["U"][i][j] - exact) < 1e-4 if name == "sparse" else prior["U"][i][j] == exact
                assert near, (name, i, j, prior["U"][i][j], exact)
    print("both golden snapshots read as the page says")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

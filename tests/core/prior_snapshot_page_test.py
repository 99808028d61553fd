#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the golden snapshots with a reader written only from src/prior/snapshot.md.

Usage: prior_snapshot_page_test.py DIRECTORY
"""

import struct
import sys
import zlib
from pathlib import Path


def read_prior(data: bytes) -> dict:
    magic, version, flags, length, count, model_size, pairs, samples = struct.unpack_from("<8sIIQIIQd", data)
    assert magic == b"BCPPRIOR" and version in (1, 2, 3, 4) and length == len(data)
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

    eras = [{"n": samples, "m": doubles(count)}]
    came = [0] * count
    triangle = [] if sparse else doubles(pairs)
    stored = []
    if sparse:
        eras[0]["r"] = doubles(count)
        for _ in range(pairs):
            stored.append(struct.unpack_from("<IId", data, at))
            at += 16
    later = 0
    if version >= 2:
        (later,) = struct.unpack_from("<I", data, at)
        at += 4
    if later:
        came = list(struct.unpack_from(f"<{count}I", data, at))
        at += 4 * count
        for _ in range(later):
            era = {"n": doubles(1)[0], "m": doubles(count)}
            if sparse:
                era["r"] = doubles(count)
            eras.append(era)

    def number() -> int:
        nonlocal at
        (value,) = struct.unpack_from("<I", data, at)
        at += 4
        return value

    def name() -> str:
        nonlocal at
        size = number()
        at += size
        return data[at - size : at].decode()

    def counts() -> dict[str, float]:
        return {name(): doubles(1)[0] for _ in range(number())}

    taught = None
    if version >= 3:
        taught = {"g": doubles(2), "statements": struct.unpack_from("<Q", data, at)[0]}
        at += 8
        taught["offsets"] = {name(): doubles(3) for _ in range(number())}
        taught["mass"] = counts()
        taught["together"] = {name(): counts() for _ in range(number())}
    groups, rows, origins = None, {}, []
    for _ in range(number() if version >= 4 else 0):
        tag = data[at : at + 4]
        at += 4
        (size,) = struct.unpack_from("<Q", data, at)
        at += 8
        end = at + size
        if tag == b"GRPS":
            groups = []
            for _ in range(number()):
                n, era, strong = struct.unpack_from("<dII", data, at)
                at += 16
                mass = {}
                for _ in range(strong):
                    label, value = struct.unpack_from("<If", data, at)
                    mass[label] = value
                    at += 8
                faint = struct.unpack_from(f"<{count}f", data, at)
                at += 4 * count
                groups.append({"n": n, "era": era, "s": [mass.get(k, 0.0) for k in range(count)], "f": faint})
        elif tag == b"ROWS":
            for _ in range(number()):
                label = number()
                rows[label] = struct.unpack_from(f"<{count}f", data, at)
                at += 4 * count
        elif tag == b"ORIG":
            for _ in range(number()):
                origin = [name(), name(), *struct.unpack_from("<QQQd", data, at)]
                at += 32
                origins.append(tuple(origin))
        at = end
    assert at == len(data) - 4

    u = [[0.0] * count for _ in range(count)]
    if sparse:
        for i, j, value in stored:
            u[i][j] = u[j][i] = value
        for i in range(count):
            for j in range(i, count):
                era = eras[max(came[i], came[j])]
                n, m, r = era["n"], era["m"], era["r"]
                faint = (r[i] * m[j] + (m[i] - r[i]) * r[j]) / max(n, 1)
                if groups is not None:
                    faint = sum(g["f"][i] * g["f"][j] / g["n"] for g in groups)
                    for x, y in (i, j), (j, i):
                        faint += rows[x][y] if x in rows else sum(g["s"][x] * g["f"][y] / g["n"] for g in groups)
                u[i][j] = u[j][i] = min(u[i][j] + faint, m[i], m[j])
    else:
        values = iter(triangle)
        for i in range(count):
            for j in range(i + 1):
                u[i][j] = u[j][i] = next(values)
    return {
        "model": model,
        "labels": labels,
        "eras": eras,
        "came": came,
        "U": u,
        "sparse": sparse,
        "settled": settled,
        "taught": taught,
        "groups": groups,
        "rows": rows,
        "origins": origins,
    }


# The samples of the golden snapshots; each halves the weight of the earlier ones.
FAINT = 1 / 2048
SAMPLES = [[0.5, 0.25, 0.25 - FAINT, FAINT], [0.25, 0.25, 0.0, 0.5], [0.75, 0.125, 0.125, 0.0]]
WEIGHTS = [0.25, 0.5, 1.0]


# Version 2: the last label was added before the last two samples.
LATER_SAMPLES = [
    [0.5, 0.25, 0.25, 0.0],
    [0.25, 0.75, 0.0, 0.0],
    [0.75, 0.125, 0.0625, 0.0625],
    [0.5, 0.5 - FAINT, 0.0, FAINT],
]
LATER_WEIGHTS = [0.125, 0.25, 0.5, 1.0]


def check(prior: dict, samples: list[list[float]], weights: list[float], begins: list[int]) -> None:
    """`begins`: the sample each era begins with."""
    assert prior["labels"] == ["dog", "bicycle", "Straße", "車"], prior
    assert prior["model"] == "0123456789abcdef", prior
    assert prior["sparse"] == prior["settled"], prior
    assert len(prior["eras"]) == len(begins), prior
    for era, first in zip(prior["eras"], begins):
        assert era["n"] == sum(weights[first:]), prior
        for k in range(4):
            assert era["m"][k] == sum(w * p[k] for w, p in zip(weights[first:], samples[first:])), prior
    for i in range(4):
        for j in range(4):
            first = begins[max(prior["came"][i], prior["came"][j])]
            exact = sum(w * p[i] * p[j] for w, p in zip(weights[first:], samples[first:]))
            # Pairs below the floor count as independent.
            near = abs(prior["U"][i][j] - exact) < 1e-4 if prior["sparse"] else prior["U"][i][j] == exact
            assert near, (i, j, prior["U"][i][j], exact)


def main(directory: Path) -> None:
    for name in ("dense", "sparse"):
        check(read_prior((directory / f"{name}.prior").read_bytes()), SAMPLES, WEIGHTS, [0])
        later = read_prior((directory / f"later-{name}.prior").read_bytes())
        assert later["came"] == [0, 0, 0, 1], later
        check(later, LATER_SAMPLES, LATER_WEIGHTS, [0, 2])
    taught = read_prior((directory / "taught.prior").read_bytes())
    check(taught, SAMPLES, WEIGHTS, [0])
    assert taught["taught"] == {
        "g": [0.0625, 0.0078125],
        "statements": 3,
        "offsets": {"bicycle": [-0.5, 0.125, 0.25], "dog": [1.25, 1.5, 2.25]},
        "mass": {"dog": 0.75, "street": 0.25},
        "together": {"dog": {"dog": 0.75, "street": 0.25}},
    }, taught
    for kind in ("dense", "sparse"):
        whole = read_prior((directory / f"whole-{kind}.prior").read_bytes())
        check(whole, SAMPLES, [1.0, 1.0, 1.0], [0])
        assert whole["taught"] == taught["taught"], whole
        assert whole["origins"] == [
            ("door", "mini", 0x0123456789ABCDEF, 1_700_000_000, 1_700_003_600, 2.0),
            ("yard", "mini", 7, 1_700_000_060, 1_700_000_120, 1.0),
        ], whole
        # Groups of one sample each: exact, also for faint labels.
        for i in range(4):
            for j in range(4):
                assert abs(whole["U"][i][j] - sum(p[i] * p[j] for p in SAMPLES)) < 1e-9, whole
    # Four samples in two groups. Rows: all but the label that is always faint, and bicycle.
    samples = [[0.5, 0.25, 0.25 - FAINT, FAINT], [0.5, 0.5, 0, 0], [0.25, 0.25, 0.5 - FAINT, FAINT], [0.75, 0.25, 0, 0]]
    rows = read_prior((directory / "rows.prior").read_bytes())
    check(rows, samples, [1.0, 1.0, 1.0, 1.0], [0])
    assert sorted(rows["rows"]) == [0, 2] and len(rows["groups"]) == 2, rows
    for i, j in ((i, j) for i in range(4) for j in range(4)):
        exact = sum(p[i] * p[j] for p in samples)
        estimated = {(1, 3): 0.625 * FAINT, (3, 1): 0.625 * FAINT, (3, 3): FAINT**2}
        assert abs(rows["U"][i][j] - estimated.get((i, j), exact)) < 1e-12, rows
    print("the golden snapshots match the page")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

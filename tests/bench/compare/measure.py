# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rounds of a comparison, and the rows of its table."""
import math
import statistics

from contender import Failure


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


class Row:
    """What one contender cost, round by round."""

    def __init__(self, contender):
        self.name, self.description = contender.name, contender.description
        self.cpu, self.wall, self.resident, self.cosine = [], [], 0, None

    def add(self, cost):
        self.cpu.append(1e3 * cost["cpu"] / cost["frames"])
        self.wall.append(1e3 * cost["wall"] / cost["frames"])
        self.resident = cost["resident"]

    def ratios(self, other):
        return [a / b for a, b in zip(self.cpu, other.cpu)]


def spread(values, digits=2):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def rounds(contenders, count, frames):
    """Rows of the contenders after `count` rounds; in each, all of them work on so many frames, one after the other."""
    rows = [Row(each) for each in contenders]
    for each in contenders:
        each.cost(max(2, frames // 4))  # warms caches and arenas
    for number in range(count):
        # Who goes first changes from round to round: one may leave the processor warmer or the caches fuller than another.
        for i in range(len(contenders)):
            index = (i + number) % len(contenders)
            rows[index].add(contenders[index].cost(frames))
    return rows


def check_embeddings(contenders, rows, reference, least):
    """Compares embeddings with those of CLIP's own preprocessing: the lowest cosine of each. `least` is what a name must reach."""
    expected = reference.embeddings()
    for each, row in zip(contenders, rows):
        row.cosine = min(cosine(a, b) for a, b in zip(each.embeddings(), expected))
        bound = least.get(each.name, 0.5)  # a contender that sees another picture altogether is not compared
        if not row.cosine >= bound:
            raise Failure(f"{each.name}: its embeddings have a cosine of {row.cosine:.4f} to the reference, less than {bound}")


def print_rows(rows, base, title):
    print(f"\n{title}\n")
    print("| | CPU ms a frame | times the bare run | wall ms | MB | cosine |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        similar = "" if row.cosine is None else f"{row.cosine:.5f}"
        print(f"| {row.name} | {spread(row.cpu)} | {spread(row.ratios(base))} | {statistics.median(row.wall):.2f} "
              f"| {row.resident:.0f} | {similar} |", flush=True)


def print_ratios(rows, pairs):
    """One line for each pair of names that took part: how many times the time of the second the first takes, within a round."""
    named = {row.name: row for row in rows}
    found = [(a, b) for a, b in pairs if a in named and b in named]
    if found:
        print()
    for first, second in found:
        print(f"- {first}, against {second}: {spread(named[first].ratios(named[second]))} times", flush=True)

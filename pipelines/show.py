# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows the JSON lines of bcppublish in readable form: gst-launch-1.0 … bcppublish location=- … | show.py [--duration S] [--results PATH]

On a terminal one line follows the video (time, progress, labels) and a line stays for every change of the labels;
elsewhere only the changes are printed. With decision=softmax an arrow shows whether the correction raised or lowered a label. Ends with a
summary. Reads versions 1 and 2 of the lines.
"""

import argparse
import dataclasses
import json
import shutil
import signal
import sys
from collections import defaultdict

# Smaller corrections, in logits, change a probability by less than a tenth of it.
NOTABLE_CORRECTION = 0.1


@dataclasses.dataclass
class Result:
    """One line: its time, the shown labels, and the labels that the correction removed."""

    pts: float | None
    shown: list[tuple[str, float, float]]  # label, probability, correction (0 with presence, which has none)
    dropped: list[str]  # labels that plain CLIP shows and the correction removed
    context: str = ""  # the word that matches the frame better than any label

    @staticmethod
    def parse(line: str) -> "Result | None":
        """None for lines that are not results (events)."""
        data = json.loads(line)
        if not isinstance(data, dict) or "labels" not in data:
            return None
        is_presence = data.get("decision") == "presence"
        shown, dropped = [], []
        for label in data["labels"]:
            correction = 0.0 if is_presence else label.get("correction", 0.0)
            if label["shown"]:
                shown.append((label["label"], label["probability"], correction))
            elif correction < 0:
                dropped.append(label["label"])
        shown.sort(key=lambda entry: -entry[1])
        return Result(data.get("pts"), shown, dropped, (data.get("context") or {}).get("word", ""))

    def names(self) -> frozenset[str]:
        return frozenset(name for name, _, _ in self.shown)


class Summary:
    """How long each label was shown. A result lasts until the next one."""

    def __init__(self) -> None:
        self.results = 0
        self._seconds: dict[str, float] = defaultdict(float)
        self._total = 0.0
        self._last: Result | None = None
        self._step = 1.0

    def add(self, result: Result) -> None:
        self.results += 1
        if self._last is not None:
            if result.pts is not None and self._last.pts is not None and result.pts > self._last.pts:
                self._step = result.pts - self._last.pts
            self._count(self._last)
        self._last = result

    def finish(self) -> list[tuple[str, float]]:
        """Labels with their share of the time, longest first."""
        if self._last is not None:
            self._count(self._last)
            self._last = None
        shares = [(name, seconds / self._total) for name, seconds in self._seconds.items()]
        return sorted(shares, key=lambda entry: (-entry[1], entry[0]))

    def _count(self, result: Result) -> None:
        self._total += self._step
        for name in result.names():
            self._seconds[name] += self._step


class Screen:
    """Prints to stdout; keeps a status line at the bottom of a terminal."""

    def __init__(self, duration: float) -> None:
        self._duration = duration
        self._live = sys.stdout.isatty()
        encoding = (sys.stdout.encoding or "").lower().replace("-", "")
        self._up, self._down, self._full, self._empty = ("↑", "↓", "█", "░") if encoding == "utf8" else ("+", "-", "#", ".")

    def status(self, result: Result) -> None:
        if not self._live:
            return
        done = min(1.0, (result.pts or 0.0) / self._duration) if self._duration > 0 else 0.0
        bar = self._full * round(20 * done) + self._empty * (20 - round(20 * done)) + " " if self._duration > 0 else ""
        end = f" / {clock(self._duration)}" if self._duration > 0 else ""
        line = f"{bar}{clock(result.pts)}{end}  {self._labels(result)}"
        sys.stdout.write("\r\033[K" + line[: shutil.get_terminal_size().columns - 1])
        sys.stdout.flush()

    def change(self, result: Result) -> None:
        self.text(f"{clock(result.pts):>8}  {self._labels(result)}")

    def text(self, line: str) -> None:
        sys.stdout.write(("\r\033[K" if self._live else "") + line + "\n")
        sys.stdout.flush()

    def _labels(self, result: Result) -> str:
        parts = []
        for name, probability, correction in result.shown:
            arrow = ""
            if abs(correction) >= NOTABLE_CORRECTION:
                arrow = " " + (self._up if correction > 0 else self._down)
            parts.append(f"{name} {probability:.2f}{arrow}")
        parts += [f"({name} {self._down})" for name in result.dropped]
        return "  ".join(parts) or (f"none of the labels (context: {result.context})" if result.context else "no label")


def clock(seconds: float | None) -> str:
    if seconds is None:
        return "-:--"
    tenths = round(seconds * 10)
    return f"{tenths // 600}:{tenths // 10 % 60:02d}.{tenths % 10}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duration", type=float, default=0.0, help="length of the video in seconds, for the progress bar")
    parser.add_argument("--results", default="", help="path of the results file, for the summary")
    options = parser.parse_args()
    # Ctrl-C stops the pipeline that writes to us; its end of file then ends this program, with the summary.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    screen, summary = Screen(options.duration), Summary()
    before, strange = None, 0
    for line in sys.stdin:
        try:
            result = Result.parse(line)
        except (ValueError, KeyError, TypeError):
            strange += 1
            continue
        if result is None:
            continue
        summary.add(result)
        if result.names() != before:
            screen.change(result)
            before = result.names()
        screen.status(result)

    kept = f" in {options.results}" if options.results else ""
    screen.text(f"\n{summary.results} results{kept}")
    shares = summary.finish()
    if shares:
        screen.text("share of the time: " + ", ".join(f"{name} {share:.0%}" for name, share in shares))
    if strange:
        screen.text(f"{strange} lines were not JSON results and were ignored")
    return 0 if summary.results else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: LGPL-2.1-or-later
"""What gst-bcp run leaves of the videos of a camera, and whether it is right: for recordings.py."""

from __future__ import annotations

import argparse
import calendar
import datetime
import json
import os
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEGMENT = 4
FRAGMENT = 2.0
LABEL = 1.0  # between two lines of labels
PICTURE = 0.1
TOLERANCE = 0.35  # between the length in the index and that of ffprobe


class Trouble(Exception):
    """A check that failed."""


def length_of(file: pathlib.Path) -> float:
    """Reads every packet of the file."""
    done = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", file],
                          capture_output=True, text=True, check=False)
    times = [float(line.strip(",")) for line in done.stdout.split() if re.match(r"^[0-9.]+,?$", line)]
    if done.returncode != 0 or not times:
        raise Trouble(f"{file.name} cannot be played: {done.stderr.strip() or 'no pictures'}")
    return max(times) - min(times)


def check_decodes(file: pathlib.Path) -> None:
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", file, "-f", "null", "-"], capture_output=True, text=True, check=False)
    # The null muxer's times are rounded; the last cluster of a Matroska file that was cut off had announced more.
    faults = [line for line in done.stderr.splitlines() if not re.search(r"^\[null @|^\[matroska.* File ended prematurely", line)]
    if done.returncode != 0 or faults:
        raise Trouble(f"{file.name} does not decode: {faults}")


class Runs:
    """The runs, one after the other, that write the videos of one camera to `folder`."""

    def __init__(self, address: str, scratch: pathlib.Path, options: argparse.Namespace, *words: object) -> None:
        self._command = [options.build / "tools/gst-bcp/gst-bcp", "run", f"door={address}", "--model", ROOT / "tests/data/bundles/toy",
                         "--decision", "softmax", *words]
        self._environment = os.environ | ({"LD_PRELOAD": options.preload} if options.preload else {})
        self.log = scratch / "log"
        self.left: pathlib.Path | None = None  # by the last end: the next run reports it
        self.left_length = 0.0

    def start(self) -> subprocess.Popen:
        self.prepare()
        with self.log.open("w") as log:
            process = subprocess.Popen([str(word) for word in self._command], stdout=log, stderr=log, env=self._environment)
        end = time.monotonic() + 60
        while not self.has_begun():
            if process.poll() is not None or time.monotonic() > end:
                raise Trouble(f"no recording begins:\n{self.log.read_text()}")
            time.sleep(0.02)
        return process

    def check_reported(self, name: str) -> None:
        if name not in self.log.read_text():
            raise Trouble(f"the run does not report {name}:\n{self.log.read_text()}")


class Recording(Runs):
    """--record"""

    def __init__(self, address: str, scratch: pathlib.Path, folder: pathlib.Path, options: argparse.Namespace) -> None:
        super().__init__(address, scratch, options, "--record", folder / "recordings", "--record-segment", SEGMENT,
                         "--record-format", options.format)
        self.folder, self._kind = folder / "recordings/door", options.format
        self._starts: dict[str, float] = {}

    def prepare(self) -> None:
        self._known = set(self.files())

    def has_begun(self) -> bool:
        return any(file.stat().st_size > 0 for file in set(self.files()) - self._known)

    def files(self) -> list[pathlib.Path]:
        return sorted(self.folder.glob(f"*.{self._kind}")) if self.folder.exists() else []

    def index(self) -> dict[str, dict]:
        entries: dict[str, dict] = {}
        path = self.folder / "index.jsonl"
        for line in path.read_text().splitlines() if path.exists() else []:
            entry = json.loads(line)
            if "removed" in entry:
                entries.pop(entry["removed"], None)
            else:
                entries[entry["file"]] = entry
        return entries

    def look(self) -> None:
        """Keeps when the newest file began: to the millisecond, from the labels beside it, or else from its name."""
        newest = self.files()[-1]
        self._starts[newest.name] = self._first_label(newest) or float(calendar.timegm(time.strptime(newest.name[:20], "%Y-%m-%dT%H-%M-%SZ")))

    def _first_label(self, file: pathlib.Path) -> float | None:
        labels = file.with_suffix(".jsonl")
        lines = labels.read_text().splitlines() if labels.exists() else []
        if not lines:
            return None
        first = json.loads(lines[0])
        return datetime.datetime.fromisoformat(first["utc"].replace("Z", "+00:00")).timestamp() - first["seconds"]

    def newest(self) -> tuple[pathlib.Path | None, float]:
        """The newest file, and the time of its first picture."""
        if not self.files():
            return None, min(self._starts.values())
        newest = self.files()[-1]
        if newest.name not in self._starts:
            self.look()
        return newest, self._starts[newest.name]

    def keep(self, newest: pathlib.Path | None, length: float) -> None:
        known = set()
        try:
            known = set(self.index())
        except ValueError:
            pass  # a line that is cut off, which the next run removes
        self.left = newest if newest and newest.name not in known else None
        self.left_length = length
        for file in self.files()[-4:-1]:  # earlier ones were checked after earlier ends, and are checked at the end
            length_of(file)

    def check_found(self, until: float, allowed: float) -> None:
        """The run that has started reported what was left, and every file but its own is in the index."""
        missing = {file.name for file in self.files()[:-1]} ^ (set(self.index()) - {self.files()[-1].name})
        if missing:
            raise Trouble(f"the index and the folder differ: {sorted(missing)}:\n{self.log.read_text()}")
        if not self.left:
            return
        self.check_reported(str(self.left))
        if not self.left.exists():  # no whole fragment
            if self.left.with_suffix(".jsonl").exists() or self.left.with_suffix(".vtt").exists():
                raise Trouble(f"the labels of {self.left.name}, which is removed, are still there")
            return
        check_decodes(self.left)
        if length_of(self.left) < self.left_length - FRAGMENT - PICTURE:
            raise Trouble(f"{self.left.name} had {self.left_length:.2f} s, and {length_of(self.left):.2f} s after the next start")
        self.check_labels(self.left)
        last = self.lines_of(self.left)
        known = last[-1]["seconds"] if last else 0.0
        if until - self._starts[self.left.name] - known > allowed + LABEL:
            raise Trouble(f"the labels of {self.left.name} end at {known:.2f} s, {until - self._starts[self.left.name]:.2f} s were recorded")

    def lines_of(self, file: pathlib.Path) -> list[dict]:
        labels = file.with_suffix(".jsonl")
        return [json.loads(line) for line in labels.read_text().splitlines()] if labels.exists() else []

    def check_labels(self, file: pathlib.Path) -> None:
        try:
            self.lines_of(file)
        except ValueError as error:
            raise Trouble(f"the labels beside {file.name} are damaged: {error}") from error
        subtitles = file.with_suffix(".vtt")
        text = subtitles.read_text() if subtitles.exists() else "WEBVTT\n\n"
        if not re.fullmatch(r"WEBVTT\n\n([0-9:.]+ --> [0-9:.]+\n[^\n\0]+\n\n)*", text):
            raise Trouble(f"the subtitles beside {file.name} are damaged: {text[-200:]!r}")

    def check_all(self) -> str:
        index, files = self.index(), self.files()
        if set(index) != {file.name for file in files}:
            raise Trouble(f"the index lists {sorted(index)}, the folder has {[file.name for file in files]}")
        for file in files:
            entry, length = index[file.name], length_of(file)
            if entry["bytes"] != file.stat().st_size:
                raise Trouble(f"{file.name} has {file.stat().st_size} bytes, {entry['bytes']} in the index")
            if abs(entry["seconds"] - length) > TOLERANCE:
                raise Trouble(f"{file.name} has {length:.2f} s, {entry['seconds']:.2f} s in the index")
            check_decodes(file)
            self.check_labels(file)
        stems = {file.stem for file in files}
        other = [file.name for file in self.folder.iterdir() if file.stem not in stems and file.name not in ("index.jsonl", ".recording.lock")]
        if other:
            raise Trouble(f"the folder has other files: {other}")
        ended = [entry["ended"] for entry in index.values()]
        return f"{len(ended)} files ({ended.count('whole')} whole, {ended.count('recovered')} recovered), all play, the index is right"


class Video(Runs):
    """--out"""

    def __init__(self, address: str, scratch: pathlib.Path, folder: pathlib.Path, options: argparse.Namespace) -> None:
        self._results = scratch / "results.jsonl"
        self.folder, self._kind = folder, options.format
        self._file = folder / f"door.{self._kind}"
        self._part = folder / f".door.{self._kind}.part"
        super().__init__(address, scratch, options, "--out", self._file, "--jsonl", self._results)
        self._whole, self._start = 0, 0.0
        self._before: set[pathlib.Path] = set()

    def prepare(self) -> None:
        self._results.unlink(missing_ok=True)

    def has_begun(self) -> bool:
        """With the first result, the first picture has come."""
        self._start = time.time()
        return self._results.exists() and self._results.stat().st_size > 0

    def files(self) -> list[pathlib.Path]:
        return [file for file in self.folder.glob(f"*.{self._kind}") if not file.name.startswith(".")]

    def look(self) -> None:
        pass

    def newest(self) -> tuple[pathlib.Path | None, float]:
        there = [file for file in (self._file, self._part) if file.exists()]
        return (there[0] if there else None), self._start

    def keep(self, newest: pathlib.Path | None, length: float) -> None:
        self.left = newest if newest == self._part and length > 0 else None
        self.left_length = length
        if newest == self._file:
            self._whole += 1
            self._file.rename(self.folder / f"whole-{self._whole}.{self._kind}")
        self._before = set(self.files())

    def check_found(self, until: float, allowed: float) -> None:
        del until, allowed
        recovered = [file for file in set(self.files()) - self._before if "-recovered" in file.name]
        if not recovered and self.left:
            raise Trouble(f"{self._part.name} did not become a file:\n{self.log.read_text()}")
        if not recovered:
            return
        self.check_reported(recovered[0].name)
        check_decodes(recovered[0])
        if length_of(recovered[0]) < self.left_length - FRAGMENT - PICTURE:
            raise Trouble(f"{self._part.name} had {self.left_length:.2f} s, {recovered[0].name} has {length_of(recovered[0]):.2f} s")

    def check_all(self) -> str:
        for file in self.files():
            check_decodes(file)
            length_of(file)
        other = [file.name for file in self.folder.iterdir() if file not in self.files() and file.name != "lost+found"]
        if other:
            raise Trouble(f"the folder has other files: {other}")
        whole = len(self.files()) - len(list(self.folder.glob("*-recovered*")))
        return f"{len(self.files())} files ({whole} whole, {len(self.files()) - whole} recovered), all play"

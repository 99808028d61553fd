#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kills `gst-bcp run --record` with SIGKILL at random moments, and checks what it leaves behind.

    kill_recording.py BUILD [--kills N] [--format mp4|mkv] [--key-interval SECONDS] [--seed N]

A real bcp-rtsp-server with picture and sound is recorded. After each kill, every file must be playable (ffprobe reads all its
packets), and the pictures that are missing at the end must not be older than two seconds, or than the key frame interval if
that is longer. Then the next run starts: it must report and index what was left. At the end, the index must list exactly the files of
the folder, with their sizes and lengths.
"""

from __future__ import annotations

import argparse
import calendar
import datetime
import json
import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RATE = 15
SEGMENT = 4
FRAGMENT = 2.0
LATENCY = 0.5  # of the muxer, which waits for the sound and for the next picture; of the scheduler; and of a kill
TOLERANCE = 0.35  # between the length in the index and that of ffprobe


class Trouble(Exception):
    """A check that failed."""


def serve(build: pathlib.Path, key_interval: float) -> tuple[subprocess.Popen, str]:
    line = (f"videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate={RATE}/1"
            f" ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max={int(RATE * key_interval)}"
            " ! rtph264pay name=pay0 config-interval=-1"
            " audiotestsrc is-live=true ! audioconvert ! avenc_aac ! rtpmp4gpay name=pay1")
    server = subprocess.Popen([build / "tools/rtsp-server/bcp-rtsp-server", "--port", "0", "--path", "/camera", "--", line],
                              stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().strip()
    if not address.startswith("rtsp"):
        raise Trouble("the server does not listen")
    return server, address


def length_of(file: pathlib.Path) -> float:
    """Reads every packet of the file."""
    done = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", file],
                          capture_output=True, text=True, check=False)
    times = [float(line.strip(",")) for line in done.stdout.split() if re.match(r"^[0-9.]+,?$", line)]
    if done.returncode != 0 or not times:
        raise Trouble(f"{file.name} cannot be played: {done.stderr.strip() or 'no pictures'}")
    return max(times)


class Recording:
    """The runs, one after the other, into one folder."""

    def __init__(self, build: pathlib.Path, address: str, folder: pathlib.Path, kind: str) -> None:
        self._command = [build / "tools/gst-bcp/gst-bcp", "run", f"door={address}", "--model", ROOT / "tests/data/bundles/toy",
                         "--decision", "softmax", "--record", folder, "--record-segment", str(SEGMENT), "--record-format", kind]
        self.folder, self._kind = folder / "door", kind
        self.log = folder.parent / "log"
        self.left: pathlib.Path | None = None  # by the last kill, and not in the index

    def start(self) -> subprocess.Popen:
        known = set(self.files())
        with self.log.open("w") as log:
            process = subprocess.Popen(self._command, stdout=log, stderr=log, env=os.environ)
        end = time.monotonic() + 60
        while not [file for file in set(self.files()) - known if file.stat().st_size > 0]:
            if process.poll() is not None or time.monotonic() > end:
                raise Trouble(f"no recording begins:\n{self.log.read_text()}")
            time.sleep(0.02)
        return process

    def check_found(self) -> None:
        """The run that has started reported what was left, and every file but its own is in the index."""
        if self.left and str(self.left) not in self.log.read_text():
            raise Trouble(f"the run does not report {self.left}:\n{self.log.read_text()}")
        missing = {file.name for file in self.files()[:-1]} ^ (set(self.index()) - {self.files()[-1].name})
        if missing:
            raise Trouble(f"the index and the folder differ: {sorted(missing)}")

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


def start_of(file: pathlib.Path) -> float | None:
    """When its first picture came, to the millisecond, from the labels beside it; None: not written yet."""
    labels = file.with_suffix(".jsonl")
    lines = labels.read_text().splitlines() if labels.exists() else []
    for line in lines:
        json.loads(line)
    if not lines:
        return None
    first = json.loads(lines[0])
    return datetime.datetime.fromisoformat(first["utc"].replace("Z", "+00:00")).timestamp() - first["seconds"]


def kill_once(recording: Recording, chance: random.Random, number: int, allowed: float) -> float:
    """Starts a run, kills it, and returns the seconds of pictures that arrived and are not in its files."""
    process = recording.start()
    recording.check_found()
    time.sleep(chance.uniform(0.2, 2.5 * SEGMENT))
    process.send_signal(signal.SIGKILL)
    killed = time.time()
    process.wait()
    newest = recording.files()[-1]
    started = start_of(newest) or float(calendar.timegm(time.strptime(newest.name[:20], "%Y-%m-%dT%H-%M-%SZ")))
    try:
        length = length_of(newest)
    except Trouble:
        if killed - started > allowed:
            raise
        length = 0.0
    for file in recording.files()[-4:-1]:  # earlier ones were checked after earlier kills, and are checked at the end
        length_of(file)
    lost = max(0.0, killed - started - length)
    print(f"kill {number:3d}: {killed - started:5.1f} s into {newest.name}, {length:5.2f} s play, {lost:4.2f} s missing", flush=True)
    if lost > allowed:
        raise Trouble(f"{lost:.2f} s are missing at the end of {newest.name}")
    recording.left = newest if newest.name not in recording.index() else None
    return lost


def check_index(recording: Recording) -> None:
    index, files = recording.index(), recording.files()
    if set(index) != {file.name for file in files}:
        raise Trouble(f"the index lists {sorted(index)}, the folder has {[file.name for file in files]}")
    for file in files:
        entry, length = index[file.name], length_of(file)
        if entry["bytes"] != file.stat().st_size:
            raise Trouble(f"{file.name} has {file.stat().st_size} bytes, {entry['bytes']} in the index")
        if abs(entry["seconds"] - length) > TOLERANCE:
            raise Trouble(f"{file.name} has {length:.2f} s, {entry['seconds']:.2f} s in the index")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--format", default="mp4", choices=["mp4", "mkv"])
    parser.add_argument("--key-interval", type=float, default=1.0, help="seconds between key frames (default: 1)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "recordings"
        server, address = serve(options.build.resolve(), options.key_interval)
        allowed = max(FRAGMENT, options.key_interval) + LATENCY
        recording = Recording(options.build.resolve(), address, folder, options.format)
        chance = random.Random(options.seed)
        try:
            losses = [kill_once(recording, chance, i + 1, allowed) for i in range(options.kills)]
            last = recording.start()
            recording.check_found()
            last.send_signal(signal.SIGINT)
            last.wait(60)
            check_index(recording)
        except Trouble as trouble:
            print(f"FAILED: {trouble}", file=sys.stderr)
            return 1
        finally:
            server.kill()
            server.wait()
        ended = [entry["ended"] for entry in recording.index().values()]
        print(f"{options.kills} kills, {len(ended)} files ({ended.count('whole')} whole, {ended.count('recovered')} recovered), all play; "
              f"missing at an end: {max(losses):.2f} s at most, {statistics.median(losses):.2f} s in the median "
              f"(a fragment has {allowed - LATENCY:.0f} s at most); the index is right")
    return 0


if __name__ == "__main__":
    sys.exit(main())

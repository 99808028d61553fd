#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ends `gst-bcp run` at random moments, by SIGKILL or by a power cut, and checks what is left of the videos of a camera.

    recordings.py BUILD [--by kill|power] [--what record|out] [--format mp4|mkv] [--ends N] [--key-interval SECONDS] [--seed N]

A real bcp-rtsp-server with picture and sound is recorded, with --record or to one file with --out. After each end, every file must
be playable (ffprobe reads all its packets), and the pictures that are missing must not be older than two seconds, or than the key
frame interval if that is longer. Then the next run starts on what is left: it must report it, and make it a file that decodes
without an error; the labels beside it must be whole lines. At the end, the index must list exactly the files of the folder, with
their sizes and lengths, and nothing else may be in it. One end in four comes while the run is already ending, after SIGINT.

By power, the files are on a disk that loses its power (power_disk.py; needs root). Each cut loses what the file system had not
written yet, and of what is in the cache of the disk, as it is at random, everything, nothing, or each block with a chance of one
half. Most cuts come between two writes to the disk, as far as 30 writes away. --preload names a library for gst-bcp, such as
libeatmydata.so, which takes fsync() away: this must fail then.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from power_disk import PowerDisk
from recorded import FRAGMENT, SEGMENT, Recording, Trouble, Video, length_of

RATE = 15
LATENCY = 0.5  # of the muxer, which waits for the sound and for the next picture; of the scheduler; and of an end
SYNC = 0.5  # until what is written is on the disk
LONGEST_END = 0.5  # after SIGINT


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


class Kill:
    """Ends a run by SIGKILL."""

    def __init__(self, scratch: pathlib.Path) -> None:
        self.folder = scratch / "files"
        self.folder.mkdir()

    def end(self, process: subprocess.Popen, chance: random.Random) -> float:
        del chance
        process.kill()
        at = time.time()
        process.wait()
        return at

    def close(self) -> None:
        pass


class PowerCut:
    """Ends a run by cutting the power of its disk."""

    def __init__(self, scratch: pathlib.Path) -> None:
        self._disk = PowerDisk(scratch)
        self.folder = self._disk.folder

    def end(self, process: subprocess.Popen, chance: random.Random) -> float:
        at = self._disk.cut(chance)
        process.kill()
        process.wait()
        self._disk.come_back()
        return at

    def close(self) -> None:
        self._disk.close()


class Trial:
    """Runs that are ended, one after the other."""

    def __init__(self, runs: Recording | Video, way: Kill | PowerCut, chance: random.Random, allowed: float) -> None:
        self._runs, self._way, self._chance, self._allowed = runs, way, chance, allowed
        self._process: subprocess.Popen | None = None
        self._until = 0.0
        self.losses: list[float] = []

    def start(self) -> subprocess.Popen:
        self._process = self._runs.start()
        self._runs.check_found(self._until, self._allowed)
        return self._process

    def close(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()

    def end_once(self) -> None:
        """Starts a run, ends it, and looks for pictures that arrived and are not in its files."""
        process = self.start()
        time.sleep(self._chance.uniform(0.2, 2.5 * SEGMENT))
        asked = 0.0
        if self._chance.random() < 0.25:
            asked = time.time()
            process.send_signal(signal.SIGINT)
            time.sleep(self._chance.uniform(0, LONGEST_END))
        self._runs.look()
        ended = self._way.end(process, self._chance)
        self._until = asked or ended
        newest, started = self._runs.newest()
        lost = self._until - started
        length = 0.0
        if newest:
            try:
                length = length_of(newest)
            except Trouble as trouble:
                if lost > self._allowed:
                    raise Trouble(f"{trouble} ({lost:.1f} s into it{', while it ended' if asked else ''})") from trouble
            lost = max(0.0, lost - length)
        self._runs.keep(newest, length)
        self.losses.append(lost)
        name = newest.name if newest else "no file"
        print(f"{len(self.losses):3d}: {self._until - started:5.1f} s into {name}{', while it ended' if asked else ''}, {length:5.2f} s play, "
              f"{lost:4.2f} s missing", flush=True)
        if lost > self._allowed:
            raise Trouble(f"{lost:.2f} s are missing at the end of {name}")

    def finish(self) -> str:
        process = self.start()
        process.send_signal(signal.SIGINT)
        process.wait(60)
        return self._runs.check_all()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--by", default="kill", choices=["kill", "power"])
    parser.add_argument("--what", default="record", choices=["record", "out"])
    parser.add_argument("--ends", type=int, default=100)
    parser.add_argument("--format", default="mp4", choices=["mp4", "mkv"])
    parser.add_argument("--key-interval", type=float, default=1.0, help="seconds between key frames (default: 1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preload", default="", help="a library for gst-bcp")
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder for the files of a trial that failed")
    options = parser.parse_args()
    options.build = options.build.resolve()
    allowed = max(FRAGMENT, options.key_interval) + LATENCY + (SYNC if options.by == "power" else 0)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        way = PowerCut(scratch) if options.by == "power" else Kill(scratch)
        server, address = serve(options.build, options.key_interval)
        runs = (Recording if options.what == "record" else Video)(address, scratch, way.folder, options)
        trial = Trial(runs, way, random.Random(options.seed), allowed)
        try:
            for _ in range(options.ends):
                trial.end_once()
            result = trial.finish()
        except Trouble as trouble:
            print(f"FAILED: {trouble}", file=sys.stderr)
            if options.keep:
                shutil.copytree(way.folder, options.keep)
            return 1
        finally:
            trial.close()
            server.kill()
            server.wait()
            way.close()
    ends = "power cuts" if options.by == "power" else "kills"
    print(f"{options.ends} {ends}, {result}; missing at an end: {max(trial.losses):.2f} s at most, "
          f"{statistics.median(trial.losses):.2f} s in the median (a fragment has {max(FRAGMENT, options.key_interval):.0f} s at most)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

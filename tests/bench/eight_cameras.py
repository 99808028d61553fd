#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Eight cameras that are recorded and watched: the memory of `gst-bcp run`, and the time that frames spend in bcptagger.

    eight_cameras.py BUILD [--with record,view] [--cameras N] [--minutes M] [--rounds N] [--compare SECONDS] [--quick]

Real bcp-rtsp-servers, H.264 and H.265, 640x360 at 10 frames a second. `record` records files of ten seconds that are removed by
size. `view` serves the live page to three browsers: one takes everything, one reads slowly, one takes nothing. First, short runs
with and without these take turns: printed are the time of a frame in the element, from GStreamer's own tracer, and the processor
time of the threads that carry the frames, which other programs on the machine change less. Then one run with them takes M minutes,
and its memory is printed. It fails when a camera has no result, when a file does not play, when more is kept
than allowed, when a browser gets no picture, or when memory grew over the last half. --quick takes seconds, and judges neither time
nor memory.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from browsers import Browsers, state_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 60.0
GROWTH_MIB = 8.0  # allowed growth in the last half: the noise of the allocator
FRAMES, PICTURES, SERVER = "waiting:src", "bcp-pictures", "bcp-view"  # names of threads of gst-bcp run
KEEP = 4_000_000  # bytes a camera
CODECS = ["x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! rtph264pay",
          "x265enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! h265parse ! rtph265pay"]


class Trouble(Exception):
    """A check that failed."""


class Servers:
    """One for each codec; cameras share them."""

    def __init__(self, build: pathlib.Path) -> None:
        self._processes, self._addresses = [], []
        for codec in CODECS:
            line = f"videotestsrc is-live=true pattern=ball ! video/x-raw,width=640,height=360,framerate=10/1 ! {codec} name=pay0 config-interval=-1"
            process = subprocess.Popen([build / "tools/rtsp-server/bcp-rtsp-server", "--port", "0", "--path", "/camera", "--", line],
                                       stdout=subprocess.PIPE, text=True)
            self._processes.append(process)
            self._addresses.append(process.stdout.readline().strip())

    def cameras(self, count: int) -> list[str]:
        return [f"camera{i + 1}={self._addresses[i % len(self._addresses)]}" for i in range(count)]

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


class Tool:
    """gst-bcp run on all cameras."""

    def __init__(self, build: pathlib.Path, cameras: list[str], folder: pathlib.Path, more: list, traced: bool) -> None:
        folder.mkdir()
        self.log, self._results = folder / "log", folder / "results.jsonl"
        self.browsers: Browsers | None = None
        self._cameras = {camera.split("=")[0] for camera in cameras}
        self.times: list[int] = []  # of frames in bcptagger, in ns
        # glibc keeps freed memory per thread, which hides real leaks.
        environment = os.environ | ({} if traced else {"MALLOC_ARENA_MAX": "1"})
        self._trace = None
        if traced:
            os.mkfifo(folder / "trace")
            environment |= {"GST_TRACERS": "latency(flags=element)", "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_NO_COLOR": "1",
                            "GST_DEBUG_FILE": str(folder / "trace")}
            self._trace = threading.Thread(target=self._read_trace, args=[folder / "trace"])
            self._trace.start()
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                [build / "tools/gst-bcp/gst-bcp", "run", *cameras, "--model", ROOT / "tests/data/bundles/toy", "--decision", "softmax",
                 "--max-rate", "2", "--jsonl", self._results, *more], stdout=log, stderr=log, env=environment)

    def _read_trace(self, path: pathlib.Path) -> None:
        with subprocess.Popen(["grep", "--line-buffered", "element-latency,.*element=(string)tagger"], stdin=path.open(),
                              stdout=subprocess.PIPE, text=True) as lines:
            for line in lines.stdout:
                if found := re.search(r"time=\(guint64\)(\d+)", line):
                    self.times.append(int(found[1]))

    def check(self) -> None:
        if self._process.poll() is not None:
            raise Trouble(f"gst-bcp ended with {self._process.returncode}:\n{self.log.read_text()}")

    def wait_for_all(self) -> None:
        """Each camera has results."""
        end = time.monotonic() + PATIENCE
        while True:
            self.check()
            lines = self._results.read_text().splitlines() if self._results.exists() else []
            missing = self._cameras - {match[1] for match in (re.search(r'"source":"([^"]*)"', line) for line in lines) if match}
            if not missing:
                return
            if time.monotonic() > end:
                raise Trouble(f"no result of {sorted(missing)}:\n{self.log.read_text()}")
            time.sleep(0.2)

    def browse(self) -> None:
        """Opens the live page in three browsers."""
        port = int(re.search(r"live page: http://127\.0\.0\.1:(\d+)/", self.log.read_text())[1])
        self.browsers = Browsers(port, len(self._cameras))
        end = time.monotonic() + PATIENCE
        while state_of(port)["encoded"] == 0 or min(self.browsers.read) == 0:
            if time.monotonic() > end:
                raise Trouble(f"the browsers got no picture:\n{self.log.read_text()}")
            time.sleep(0.1)

    def _close_browsers(self) -> None:
        state = state_of(self.browsers.port)
        self.browsers.close()
        read, self.browsers = list(self.browsers.read), None
        print(f"{state['encoded']} pictures were encoded; the fast browser read {read[0] / 1e6:.1f} MB, the slow one {read[1] / 1e6:.1f} MB")

    def processor(self, thread: str) -> float:
        """Seconds that the threads of this name have used."""
        used = 0
        for task in pathlib.Path(f"/proc/{self._process.pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
                if (task / "comm").read_text().strip() == thread:
                    used += int((task / "schedstat").read_text().split()[0])
        return used / 1e9

    def resident(self) -> float:
        """In MiB."""
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def end(self) -> None:
        self.check()
        if self.browsers:
            self._close_browsers()
        self._process.send_signal(signal.SIGINT)
        if self._process.wait(PATIENCE) != 130:
            raise Trouble(f"gst-bcp ended with {self._process.returncode}:\n{self.log.read_text()}")
        if self._trace:
            self._trace.join()

    def kill(self) -> None:
        if self.browsers:
            self.browsers.close()
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


class Round:
    """What one short run measured."""

    def __init__(self, times: list[int], processor: dict[str, float], seconds: float) -> None:
        self.times, self.processor, self.seconds = times, processor, seconds


def interval(differences: list[float]) -> tuple[float, float, float]:
    """The mean difference of the rounds, and its 95 % interval by the bootstrap."""
    draw = random.Random(7)
    count = len(differences)
    means = sorted(sum(draw.choices(differences, k=count)) / count for _ in range(4000))
    return sum(differences) / count, means[99], means[3899]


def percentile(times: list[int], share: float) -> float:
    """In us."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))] / 1000


class Trials:
    def __init__(self, given: argparse.Namespace, folder: pathlib.Path) -> None:
        self._given, self._folder = given, folder
        self._servers = Servers(given.build)
        self._cameras = self._servers.cameras(given.cameras)
        self._tool: Tool | None = None

    def close(self) -> None:
        if self._tool:
            self._tool.kill()
        self._servers.close()

    def _start(self, name: str, files: pathlib.Path | None, traced: bool) -> Tool:
        """Without what is measured, where `files` is None."""
        more, viewed = [], files and "view" in self._given.features
        if files and "record" in self._given.features:
            more += ["--record", files, "--record-segment", "10", "--record-keep-size", str(KEEP)]
        if viewed:
            more += ["--view", "0"]
        self._tool = Tool(self._given.build, self._cameras, self._folder / name, more, traced)
        self._tool.wait_for_all()
        if viewed:
            self._tool.browse()
        return self._tool

    def _round(self, name: str, files: pathlib.Path | None) -> Round:
        tool = self._start(name, files, True)
        time.sleep(2)  # the first frames load and connect
        begun, start = len(tool.times), time.monotonic()
        before = {thread: tool.processor(thread) for thread in (FRAMES, PICTURES, SERVER)}
        time.sleep(self._given.compare)
        used = {thread: tool.processor(thread) - before[thread] for thread in before}
        seconds, times = time.monotonic() - start, tool.times[begun:]
        tool.end()
        if not times or used[FRAMES] == 0:
            raise Trouble(f"{name}: no frame was traced")
        return Round(times, used, seconds)

    def compare(self) -> None:
        """Time in the element, with and without, in turns."""
        named = "with " + " and ".join(self._given.features)
        all_rounds: dict[str, list[Round]] = {"without": [], named: []}
        for number in range(self._given.rounds):
            order = list(all_rounds) if number % 2 == 0 else list(all_rounds)[::-1]
            for name in order:
                files = None if name == "without" else self._folder / f"files-{number}"
                all_rounds[name].append(self._round(f"{name.replace(' ', '-')}-{number}", files))
        print(f"{'a frame in bcptagger':<24}{'frames':>9}{'p50 us':>9}{'p90 us':>9}{'p99 us':>9}{'processor us':>14}   p99 us of each round")
        for name, rounds in all_rounds.items():
            together = [one for part in rounds for one in part.times]
            print(f"{name:<24}{len(together):>9}" + "".join(f"{percentile(together, share):>9.0f}" for share in (0.5, 0.9, 0.99)) +
                  f"{1e6 * sum(part.processor[FRAMES] for part in rounds) / len(together):>14.0f}" +
                  "   " + " ".join(f"{percentile(part.times, 0.99):.0f}" for part in rounds), flush=True)
        pairs = list(zip(all_rounds["without"], all_rounds[named], strict=True))
        for what, of in (("p50, us", lambda one: percentile(one.times, 0.5)), ("p99, us", lambda one: percentile(one.times, 0.99)),
                         ("processor time of the thread, us a frame", lambda one: 1e6 * one.processor[FRAMES] / len(one.times))):
            mean, low, high = interval([of(used) - of(plain) for plain, used in pairs])
            print(f"difference of {what}: {mean:+.0f}, 95 % interval {low:+.0f} to {high:+.0f}")
        seconds = sum(one.seconds for one in all_rounds[named])
        for what, thread in (("pictures", PICTURES), ("server", SERVER)):
            print(f"thread of the {what}: {100 * sum(one.processor[thread] for one in all_rounds[named]) / seconds:.1f} % of a core")

    def last(self) -> None:
        """Memory, for minutes."""
        files = self._folder / "files"
        tool = self._start("long", files, False)
        begin, memory = time.monotonic(), []
        while time.monotonic() < begin + 60 * self._given.minutes:
            tool.check()
            memory.append(tool.resident())
            time.sleep(min(1.0, 6 * self._given.minutes))
        tool.end()
        count = len(memory)
        parts = [memory[i * count // 6:(i + 1) * count // 6] for i in range(6)]
        print("memory, MiB, mean of each sixth: " + " ".join(f"{sum(part) / max(1, len(part)):.1f}" for part in parts))
        kept = self._check_files(files) if "record" in self._given.features else 0
        growth = sum(parts[5]) / max(1, len(parts[5])) - sum(parts[3]) / max(1, len(parts[3]))
        print(f"{self._given.cameras} cameras for {self._given.minutes:g} min: {kept} files kept, all play; "
              f"memory grew by {growth:.1f} MiB from the fourth sixth to the last")
        if growth > GROWTH_MIB and not self._given.quick:
            raise Trouble("memory grows")

    @staticmethod
    def _check_files(files: pathlib.Path) -> int:
        """The number of files kept: they play, and the index is right."""
        total = 0
        for folder in sorted(files.iterdir()):
            there = sorted(folder.glob("*.mp4"))
            listed = [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]
            removed = {entry["removed"] for entry in listed if "removed" in entry}
            if {entry["file"] for entry in listed if "file" in entry} - removed != {file.name for file in there}:
                raise Trouble(f"the index of {folder} is wrong")
            if sum(file.stat().st_size for file in there) > KEEP:
                raise Trouble(f"more than {KEEP} bytes are in {folder}")
            for file in there:
                if subprocess.run(["ffprobe", "-v", "error", "-count_packets", file], stdout=subprocess.DEVNULL, check=False).returncode != 0:
                    raise Trouble(f"{file} does not play")
            total += len(there)
        return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--cameras", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compare", type=float, default=40, help="seconds of each run with and without")
    parser.add_argument("--with", dest="features", default="record,view", help="record, view or both")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    given.features = given.features.split(",")
    if not set(given.features) <= {"record", "view"}:
        parser.error(f"--with {','.join(given.features)}: only record and view can be measured")
    given.build = given.build.resolve()
    if given.quick:
        given.cameras, given.minutes, given.rounds, given.compare = 2, 0.05, 1, 1
    with tempfile.TemporaryDirectory() as name:
        trials = Trials(given, pathlib.Path(name))
        try:
            if given.rounds > 0:
                trials.compare()
            if given.minutes > 0:
                trials.last()
        except Trouble as trouble:
            print(trouble, file=sys.stderr)
            return 1
        finally:
            trials.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

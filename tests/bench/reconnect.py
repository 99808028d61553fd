#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kills a camera, stalls its network, changes its picture, and measures how long `gst-bcp run` takes to recover.

    reconnect.py BUILD [--kills N] [--quick]

A real bcp-rtsp-server on this machine, behind a proxy that stands for the network. Printed for each trial is the time from the
camera's return (the server listens again, the network forwards again) to the first result of a new frame; at the end the
memory, the statistics, and whether the recording can be played. It fails when a return took five seconds or more, when
what was learnt was lost, when memory grew over the last half, or when the recording is broken. --quick
kills the camera once and judges neither time nor memory.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import returns
from returns import Trouble

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 30.0  # seconds after which a trial has failed
LIMIT = 5.0
GROWTH_MIB = 8.0  # allowed growth in the last half: the noise of the allocator


class Camera:
    """A bcp-rtsp-server, always on the same port."""

    def __init__(self, build: pathlib.Path) -> None:
        self._program = build / "tools/rtsp-server/bcp-rtsp-server"
        self._process: subprocess.Popen | None = None
        self.port = 0

    def start(self, source: str = "videotestsrc is-live=true pattern=smpte ! video/x-raw,width=640,height=360,framerate=15/1") -> None:
        """Returns once it listens."""
        line = f"{source} ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! rtph264pay name=pay0 config-interval=-1"
        for _ in range(20):
            self._process = subprocess.Popen([self._program, "--port", str(self.port), "--path", "/camera", "--", line],
                                             stdout=subprocess.PIPE, text=True)
            if address := re.search(r":(\d+)/", self._process.stdout.readline()):
                self.port = int(address[1])
                return
            self._process.wait()
            time.sleep(0.1)
        raise Trouble("the server does not listen")

    def kill(self, number: int = signal.SIGKILL) -> None:
        if self._process:
            self._process.send_signal(number)
            self._process.wait()
            self._process = None


class Network:
    """The proxy between the camera and the tool."""

    def __init__(self, port: int) -> None:
        self._process = subprocess.Popen([sys.executable, ROOT / "tests/common/rtsp_proxy.py", str(port)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self._process.stdout.readline())

    def send(self, command: str) -> None:
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        if self._process.stdout.readline().strip() != "ok":
            raise Trouble(f"the proxy does not understand {command}")

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


class Tool(returns.Run):
    """gst-bcp run with one camera and its video, and what its results say."""

    def __init__(self, build: pathlib.Path, port: int, folder: pathlib.Path) -> None:
        self.video = folder / "made.mp4"
        self.samples: list[int] = []
        self.times: list[float] = []
        # glibc keeps freed memory per thread, and every connection has its own threads: this memory is not
        # leaked, but hides real leaks.
        super().__init__([build / "tools/gst-bcp/gst-bcp", "run", f"camera=rtsp://127.0.0.1:{port}/camera",
                          "--model", ROOT / "tests/data/bundles/toy", "--out", self.video], folder, PATIENCE, {"MALLOC_ARENA_MAX": "1"})

    def take(self, result: dict) -> None:
        self.samples.append(result["samples"])
        self.times.append(result["pts"])

    def wait_for_frames(self, count: int) -> float:
        """The seconds until there are `count` more results."""
        return self.wait_for_new(count, ["camera"])["camera"]

    def memory_mib(self) -> float:
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self._process.pid}/task"))


def frames_in(video: pathlib.Path) -> int:
    """Decodes all of it."""
    done = subprocess.run(["gst-launch-1.0", "-v", "filesrc", f"location={video}", "!", "decodebin", "!", "fakesink", "silent=false"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Trouble(f"the recording cannot be played:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout.count("last-message = chain")


class Torture:
    """All trials, one after the other, on one run of the tool."""

    def __init__(self, build: pathlib.Path, kills: int, quick: bool, folder: pathlib.Path) -> None:
        self._kills, self._quick = 1 if quick else kills, quick
        self._camera = Camera(build)
        self._camera.start()
        self._network = Network(self._camera.port)
        self._tool = Tool(build, self._network.port, folder)
        self.slowest = 0.0
        self._memory: list[float] = []

    def close(self) -> None:
        self._tool.kill()
        self._network.close()
        self._camera.kill()

    def _back(self, what: str) -> None:
        seconds = self._tool.wait_for_frames(1)
        self.slowest = max(self.slowest, seconds)
        self._tool.wait_for_frames(10)  # and it goes on
        self._memory.append(self._tool.memory_mib())
        print(f"{what:<58}{seconds:6.2f} s   {self._memory[-1]:7.1f} MiB  {self._tool.threads():3d} threads", flush=True)

    def run(self) -> None:
        print(f"{'camera there from the start':<58}{self._tool.wait_for_frames(20):6.2f} s   (20 frames)", flush=True)
        for i in range(self._kills):
            pause = 0.2 + 0.37 * (i % 8)
            self._camera.kill()
            time.sleep(pause)
            self._tool.wait_for_silence()
            self._camera.start()
            self._back(f"server killed, gone for {pause + 0.7:.1f} s ({i + 1} of {self._kills})")
        if not self._quick:
            self._fail_otherwise()
        self._tool.end()
        self._judge()

    def _fail_otherwise(self) -> None:
        for seconds in (1.5, 6, 12):
            self._network.send("stall")
            time.sleep(seconds)
            self._tool.wait_for_silence()
            self._network.send("pass")
            self._back(f"network stalled for {seconds} s")
        for seconds in (2, 8):
            self._network.send("hole")
            time.sleep(seconds)
            self._tool.wait_for_silence()
            self._network.send("pass")
            self._back(f"all packets lost for {seconds} s, connections dead")
        for seconds in (1, 7):
            self._network.send("cut")
            time.sleep(seconds)
            self._tool.wait_for_silence()
            self._network.send("pass")
            self._back(f"connections reset for {seconds} s")
        for pattern in ("lose 5", "lose 40", "jitter 400"):
            self._network.send(pattern)
            time.sleep(6)
            self._network.send("pass")
            self._back(f"{pattern} for 6 s")
        for width, height, rate in ((1280, 720, 10), (160, 120, 25), (854, 480, 15)):
            self._camera.kill()
            self._tool.wait_for_silence()
            self._camera.start(f"videotestsrc is-live=true pattern=smpte ! video/x-raw,width={width},height={height},framerate={rate}/1")
            self._back(f"back with {width}x{height} at {rate} fps")
        self._change_in_between()

    def _change_in_between(self) -> None:
        self._camera.kill()
        self._tool.wait_for_silence()
        self._camera.start("concat name=all videotestsrc num-buffers=30 ! video/x-raw,width=640,height=360,framerate=15/1 ! all. "
                           "videotestsrc pattern=smpte ! video/x-raw,width=320,height=240,framerate=15/1 ! all. all.")
        self._tool.wait_for_frames(25)
        self._back("640x360 becomes 320x240 while it streams")

    def _judge(self) -> None:
        tool, memory = self._tool, self._memory
        half = memory[len(memory) // 2:]
        growth = max(half[-len(half) // 2:]) - max(half[:len(half) // 2], default=memory[0])
        frames = frames_in(tool.video)
        print(f"slowest return {self.slowest:.2f} s; memory {memory[0]:.0f} MiB at first, {memory[-1]:.0f} at last, {growth:+.1f} over the last half")
        print(f"{len(tool.times)} results, learnt from {tool.samples[-1]}; {frames} frames in the recording")
        if not tool.times or tool.samples[-1] <= 0:
            raise Trouble("nothing was scored and learnt")
        if not self._quick and self.slowest >= LIMIT:
            raise Trouble(f"a return took {self.slowest:.1f} s")
        if not self._quick and growth > GROWTH_MIB:
            raise Trouble(f"memory grew by {growth:.1f} MiB over the last half: {half}")
        if any(after < before for before, after in zip(tool.samples, tool.samples[1:])):
            raise Trouble("what was learnt was lost")
        if any(after <= before for before, after in zip(tool.times, tool.times[1:])):
            raise Trouble("time went backwards")
        if frames < len(tool.times):
            raise Trouble("frames are missing in the recording")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    arguments.add_argument("--kills", type=int, default=20)
    arguments.add_argument("--quick", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        torture = Torture(given.build, given.kills, given.quick, pathlib.Path(folder))
        try:
            torture.run()
        except Trouble as trouble:
            print(f"FAILED: {trouble}")
            return 1
        finally:
            torture.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

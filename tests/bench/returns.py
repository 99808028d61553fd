# SPDX-License-Identifier: LGPL-2.1-or-later
"""A gst-bcp run whose results are followed while its cameras are lost and come back, and how long each takes to return."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import signal
import subprocess
import time


class Trouble(Exception):
    """A trial that failed."""


class Run:
    """The process, and how many results each camera has so far."""

    def __init__(self, command: list, folder: pathlib.Path, patience: float, environment: dict[str, str] | None = None) -> None:
        self.log, self.patience = folder / "log", patience
        self._results = folder / "results.jsonl"
        with self.log.open("w") as log:
            self._process = subprocess.Popen([*command, "--jsonl", self._results], stdout=log, stderr=log,
                                             env=os.environ | (environment or {}))
        self.counts: collections.Counter[str] = collections.Counter()
        self._file = None

    def take(self, result: dict) -> None:
        """A new result, for those who want more than the counts."""

    def read(self) -> None:
        """Reads new results."""
        if self._process.poll() is not None:
            raise Trouble(f"gst-bcp ended with {self._process.returncode}:\n{self.log.read_text()}")
        if self._file is None:
            if not self._results.exists():
                return
            self._file = self._results.open()
        while True:
            at = self._file.tell()
            line = self._file.readline()
            if not line.endswith("\n"):
                self._file.seek(at)
                return
            result = json.loads(line)
            self.counts[result["source"]] += 1
            self.take(result)

    def wait_for_new(self, count: int, cameras: list[str]) -> dict[str, float]:
        """The seconds until each camera has `count` more results."""
        self.read()
        start, known, seconds = time.monotonic(), dict(self.counts), {}
        while len(seconds) < len(cameras):
            self.read()
            for camera in cameras:
                if camera not in seconds and self.counts[camera] >= known.get(camera, 0) + count:
                    seconds[camera] = time.monotonic() - start
            if time.monotonic() - start > self.patience:
                missing = ", ".join(sorted(set(cameras) - set(seconds)))
                raise Trouble(f"no new frame of {missing} for {self.patience:.0f} s:\n{self.log.read_text()}")
            time.sleep(0.01)
        return seconds

    def wait_for_silence(self) -> None:
        """Waits until queued results have arrived."""
        self.read()
        known, since = dict(self.counts), time.monotonic()
        while time.monotonic() - since < 0.7:
            time.sleep(0.05)
            self.read()
            if self.counts != known:
                known, since = dict(self.counts), time.monotonic()

    def end(self) -> None:
        self.read()
        self._process.send_signal(signal.SIGINT)
        if self._process.wait(self.patience) != 130:
            raise Trouble(f"gst-bcp ended with {self._process.returncode}:\n{self.log.read_text()}")

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three browsers at the live page of `gst-bcp run --view`: a fast one, a slow one, and one that takes nothing."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import signal
import socket
import threading

FAST, SLOW = 0.0, 0.2  # seconds between two reads
STALLED = 20.0  # seconds until a browser that takes nothing opens the page again; the server disconnects it earlier


class Browsers:
    """Each has the streams of pictures and of events open until close().

    They are another process that runs where nothing else wants the processor: people's browsers are on other machines.
    """

    def __init__(self, port: int, cameras: int) -> None:
        self.port = port
        self.read = multiprocessing.Array("q", 2)  # bytes that the fast and the slow one have read
        self._stop = multiprocessing.Event()
        self._process = multiprocessing.Process(target=self._browse, args=[cameras], daemon=True)
        self._process.start()

    def _browse(self, cameras: int) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        paths = ("/pictures?cameras=" + ",".join(str(i + 1) for i in range(cameras)), "/events")
        threads = [threading.Thread(target=target, args=[path, *more], daemon=True) for path in paths
                   for target, *more in ((self._take, 0, FAST), (self._take, 1, SLOW), (self._stall,))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _open(self, path: str) -> socket.socket:
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        made.connect(("127.0.0.1", self.port))
        made.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        return made

    def _take(self, path: str, browser: int, pause: float) -> None:
        with self._open(path) as stream:
            stream.settimeout(1)
            while not self._stop.wait(pause):
                try:
                    got = len(stream.recv(65536))
                except TimeoutError:
                    continue
                except OSError:
                    return
                if got == 0:
                    return
                with self.read.get_lock():
                    self.read[browser] += got

    def _stall(self, path: str) -> None:
        while not self._stop.is_set():
            with self._open(path):
                self._stop.wait(STALLED)

    def close(self) -> None:
        self._stop.set()
        self._process.join(5)
        if self._process.is_alive():
            self._process.kill()


def state_of(port: int) -> dict:
    """What the page knows of all cameras."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/api/state")
    return json.loads(connection.getresponse().read())

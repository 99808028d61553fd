#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs `gst-bcp run` against mediamtx, an RTSP server that is not GStreamer's, and measures how it recovers.

    third_party.py BUILD MEDIAMTX [--port N] [-- OPTION...]

MEDIAMTX is the program (github.com/bluenviron/mediamtx; tests/bench/README.md says how to build it). It serves two live streams,
H.264 and H.265, each over TCP, UDP and RTSPS: six cameras of one run, which records them. The server is restarted, stalled, and
given another certificate, one of them not accepted. Printed for each trial and camera is the time from the server's return to the
first result of a new frame. It fails when a camera took five seconds or more, when a recording does not play, or when a recording
misses more than the outages. Options after -- are added to those of gst-bcp run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import time

import returns
from returns import Trouble

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 40.0  # seconds after which a trial has failed
LIMIT = 5.0
CODECS = {
    "h264": "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! h264parse ! rtph264pay name=pay0 config-interval=-1",
    "h265": "x265enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! h265parse ! rtph265pay name=pay0 config-interval=-1",
}
TLS = [f"{codec}-tls" for codec in CODECS]
LONGEST_GAP = 1.5  # seconds between two files of a camera that was not lost: names have the time of arrival, not of the camera
CAMERAS = [f"{codec}-{way}" for codec in CODECS for way in ("tcp", "udp", "tls")]


def certificate(folder: pathlib.Path, name: str) -> str:
    """Makes a self-signed certificate and returns its fingerprint."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem"],
                   check=True, capture_output=True)
    der = ssl.PEM_cert_to_DER_cert((folder / f"{name}.pem").read_text())
    return hashlib.sha256(der).hexdigest()


class Origins:
    """The two live streams: bcp-rtsp-server, from which mediamtx reads."""

    def __init__(self, build: pathlib.Path) -> None:
        self.addresses, self._processes = {}, []
        for codec, encoder in CODECS.items():
            line = f"videotestsrc is-live=true pattern=ball ! video/x-raw,width=160,height=120,framerate=10/1 ! timeoverlay ! {encoder}"
            process = subprocess.Popen([build / "tools/rtsp-server/bcp-rtsp-server", "--port", "0", "--path", "/" + codec, "--", line],
                                       stdout=subprocess.PIPE, text=True)
            self._processes.append(process)
            self.addresses[codec] = process.stdout.readline().strip()

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


class Mediamtx:
    """The server, always on the same ports."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path, origins: dict[str, str], port: int) -> None:
        self._program, self._folder, self._origins = program, folder, origins
        self.port, self.tls_port = port, port + 1
        self._process: subprocess.Popen | None = None
        self._log = (folder / "mediamtx.log").open("a")

    def start(self, name: str = "first") -> None:
        """Returns once both streams can be read; `name` is that of the certificate."""
        paths = {codec: {"source": address, "rtspTransport": "tcp"} for codec, address in self._origins.items()}
        settings = {
            "logLevel": "info", "rtsp": True, "rtspEncryption": "optional", "rtspTransports": ["udp", "tcp"],
            "rtspAddress": f"127.0.0.1:{self.port}", "rtspsAddress": f"127.0.0.1:{self.tls_port}",
            "rtpAddress": f"127.0.0.1:{self.port + 2}", "rtcpAddress": f"127.0.0.1:{self.port + 3}",
            "rtspServerKey": str(self._folder / f"{name}.key"), "rtspServerCert": str(self._folder / f"{name}.pem"),
            "rtspAuthMethods": ["digest"], "rtmp": False, "hls": False, "webrtc": False, "srt": False, "api": False,
            "authInternalUsers": [{"user": "viewer", "pass": "guess.me", "permissions": [{"action": "read", "path": ""}]}],
            "paths": paths,
        }
        (self._folder / "mediamtx.yml").write_text(json.dumps(settings))  # JSON is YAML
        self._process = subprocess.Popen([self._program, self._folder / "mediamtx.yml"], stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True)
        ready, said = 0, ""
        while ready < len(paths):
            line = self._process.stdout.readline()
            if not line:
                raise Trouble(f"mediamtx ended:\n{said}")
            said += line
            ready += bool(re.search(r"ready: \d+ track", line))
        # What it prints from now on is dropped: a full pipe would stop it.
        self._drain = subprocess.Popen(["cat"], stdin=self._process.stdout, stdout=self._log)

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._drain.wait()
            self._process = None

    def address(self, camera: str) -> str:
        codec, way = camera.split("-")
        scheme, port = {"tcp": ("rtsp", self.port), "udp": ("rtspu", self.port), "tls": ("rtsps", self.tls_port)}[way]
        return f"{camera}={scheme}://viewer:guess.me@127.0.0.1:{port}/{codec}"


class Tool(returns.Run):
    """gst-bcp run with all cameras, recorded."""

    def __init__(self, build: pathlib.Path, cameras: list[str], fingerprints: list[str], folder: pathlib.Path, more: list[str]) -> None:
        self.folder = folder / "recordings"
        command = [build / "tools/gst-bcp/gst-bcp", "run", *cameras, "--max-rate", "5",
                   "--model", ROOT / "tests/data/bundles/toy", "--decision", "softmax", "--skip-static", "off",
                   "--record", self.folder, "--record-segment", "10", *more]
        for fingerprint in fingerprints:
            command += ["--tls-fingerprint", fingerprint]
        super().__init__(command, folder, PATIENCE)


class Trials:
    """All trials, one after the other, on one run of the tool."""

    def __init__(self, build: pathlib.Path, program: pathlib.Path, port: int, folder: pathlib.Path, more: list[str]) -> None:
        fingerprints = [certificate(folder, name) for name in ("first", "second")]
        self._origins = Origins(build)
        self._server = Mediamtx(program, folder, self._origins.addresses, port)
        self._start_tool = lambda: Tool(build, [self._server.address(camera) for camera in CAMERAS], fingerprints, folder, more)
        self._tool: Tool | None = None
        self.slowest = 0.0
        self._outages: list[tuple[float, float]] = []  # in seconds since 1970, each up to the first new frame of all
        self._fingerprint = certificate(folder, "unknown")

    def close(self) -> None:
        if self._tool:
            self._tool.kill()
        self._server.kill()
        self._origins.close()

    def _back(self, what: str, cameras: list[str] = CAMERAS) -> None:
        seconds = self._tool.wait_for_new(1, cameras)
        self.slowest = max(self.slowest, *seconds.values())
        self._tool.wait_for_new(5, cameras)  # and it goes on
        print(f"{what:<52}" + "".join(f"{seconds[camera]:10.2f}" if camera in seconds else f"{'-':>10}" for camera in CAMERAS), flush=True)

    def _stop(self) -> None:
        self._down = time.time()
        self._server.kill()

    def _up(self, what: str, cameras: list[str] = CAMERAS) -> None:
        self._back(what, cameras)
        self._outages.append((self._down, time.time()))

    def run(self) -> None:
        self._server.start()
        self._tool = self._start_tool()
        print(f"{'seconds to the first new frame':<52}" + "".join(f"{camera:>10}" for camera in CAMERAS))
        self._tool.wait_for_new(1, CAMERAS)
        time.sleep(12)  # a whole file
        for pause in (0.5, 4.0):
            self._stop()
            time.sleep(pause)
            self._tool.wait_for_silence()
            self._server.start()
            self._up(f"server killed, gone for {time.time() - self._down:.0f} s")
        self._down = time.time()
        self._server.signal(signal.SIGSTOP)
        time.sleep(8)
        self._tool.wait_for_silence()
        self._server.signal(signal.SIGCONT)
        self._up("server stalled for 8 s")
        self._stop()
        self._server.start("second")
        self._up("restarted with the other accepted certificate")
        self._stop()
        self._server.start("unknown")
        self._back("restarted with a certificate that is not accepted", [camera for camera in CAMERAS if camera not in TLS])
        time.sleep(3)
        said = self._tool.log.read_text()
        if self._fingerprint not in said.lower().replace(":", ""):
            raise Trouble(f"the fingerprint that was refused is not reported:\n{said}")
        self._server.kill()
        self._server.start("first")
        self._up("restarted with the first certificate")
        time.sleep(12)
        self._tool.end()
        self._check_recordings()

    def _check_recordings(self) -> None:
        """Every file plays, and between two files of a camera is a gap only where the server was away."""
        print(f"{'recordings':<12}{'files':>7}{'seconds':>9}{'gaps':>6}{'longest':>9}{'beyond the outage':>19}")
        for camera in CAMERAS:
            folder = self._tool.folder / camera
            entries = [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]
            played = sum(played_seconds(folder / entry["file"]) for entry in entries)
            if abs(played - sum(entry["seconds"] for entry in entries)) > 0.3 * len(entries):
                raise Trouble(f"{camera}: {played:.1f} s play, the index has {entries}")
            gaps = []
            for one, other in zip(entries, entries[1:]):
                start, end = one["unix"] + one["seconds"], other["unix"]
                if end - start < LONGEST_GAP:
                    continue
                outage = max((outage for outage in self._outages if start > outage[0] - 3), default=(0.0, 0.0))
                if end > outage[1] + LIMIT:
                    raise Trouble(f"{camera}: {end - start:.1f} s are missing after {one['file']}, while the server was there")
                gaps.append((end - start, max(0.0, end - outage[1])))
            print(f"{camera:<12}{len(entries):>7}{played:>9.1f}{len(gaps):>6}{max(gap for gap, _ in gaps):>9.1f}"
                  f"{max(beyond for _, beyond in gaps):>19.1f}")


def played_seconds(file: pathlib.Path) -> float:
    """Decodes the whole file."""
    done = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-count_frames",
                           "-show_entries", "frame=pts_time", "-of", "csv=p=0", file], capture_output=True, text=True, check=False)
    times = [float(line.strip(",")) for line in done.stdout.split() if re.match(r"^[0-9.]+,?$", line)]
    if done.returncode != 0 or not times:
        raise Trouble(f"{file} cannot be played: {done.stderr}")
    return max(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("mediamtx", type=pathlib.Path)
    parser.add_argument("--port", type=int, default=18554, help="the first of four free ports")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given = parser.parse_args(sys.argv[1:at])
    given.option = sys.argv[at + 1:]
    with tempfile.TemporaryDirectory() as name:
        trials = Trials(given.build, given.mediamtx, given.port, pathlib.Path(name), given.option)
        try:
            trials.run()
        except Trouble as trouble:
            print(trouble, file=sys.stderr)
            return 1
        finally:
            trials.close()
    print(f"slowest {trials.slowest:.2f} s")
    return 0 if trials.slowest < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts the services of pipelines/fleet/compose.yaml without containers, each with its own command, on free ports of this machine.

    compose.py ROOT SCRATCH

Ends with success when both taggers have learnt, each uses what the other has learnt, Prometheus could read that, and the broker has
heard of both. Programs that containers would have (redis-server, mosquitto) are those of this machine.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import shlex
import socket
import subprocess
import sys
import time
import urllib.request

import yaml

PASSWORD = "sEcrEt-4711"
PATIENCE = 90  # seconds


def free_port() -> int:
    """Not an ephemeral port, which another process could get before the service binds it."""
    while True:
        port = random.randint(10_000, 32_000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


def wait(what: str, is_true) -> None:
    until = time.monotonic() + PATIENCE
    while not is_true():
        if time.monotonic() > until:
            sys.exit(f"not in {PATIENCE} s: {what}")
        time.sleep(0.1)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Deployment:
    def __init__(self, root: pathlib.Path, scratch: pathlib.Path):
        self.root, self.scratch = root, scratch
        self.services = yaml.safe_load((root / "pipelines/fleet/compose.yaml").read_text())["services"]
        self.ports = {name: free_port() for name in self.services}
        self.processes: list[subprocess.Popen] = []
        (scratch / "password").write_text(PASSWORD + "\n")
        self.environment = {**os.environ, "GST_BCP_REDIS_PASSWORD_FILE": str(scratch / "password")}

    def command_of(self, name: str) -> list[str]:
        command = self.services[name]["command"]
        words = command if isinstance(command, list) else shlex.split(command)
        return [self.here(name, word) for word in words]

    def here(self, name: str, word: str) -> str:
        for service, port in (("redis", 6379), ("broker", 1883), ("camera-1", 8554), ("camera-2", 8554)):
            word = word.replace(f"{service}:{port}/", f"127.0.0.1:{self.ports[service]}/")
            if word.endswith(f"{service}:{port}"):
                word = word.replace(f"{service}:{port}", f"127.0.0.1:{self.ports[service]}")
        return (
            word.replace("/opt/gst-bcp", str(self.root))
            .replace("0.0.0.0:9100", f"127.0.0.1:{self.ports[name]}")
            .replace("0.0.0.0", "127.0.0.1")
            .replace("/run/secrets/redis_password", str(self.scratch / "password"))
            .replace("$$", "$")
            .replace("/tmp/redis.conf", str(self.scratch / "redis.conf"))
            .replace("redis.conf --save", f"redis.conf --port {self.ports['redis']} --bind 127.0.0.1 --dir {self.scratch} --save")
        )

    def start(self, name: str, command: list[str]) -> None:
        with open(self.scratch / f"{name}.log", "w") as log:
            self.processes.append(
                subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, cwd=self.scratch)
            )

    def start_all(self) -> None:
        self.start("redis", self.command_of("redis"))
        configuration = (self.root / "pipelines/fleet/mosquitto.conf").read_text()
        (self.scratch / "mosquitto.conf").write_text(
            configuration.replace("listener 1883", f"listener {self.ports['broker']} 127.0.0.1") + "user root\n"
        )
        self.start("broker", ["/usr/sbin/mosquitto", "-c", str(self.scratch / "mosquitto.conf")])
        for name in ("camera-1", "camera-2"):
            words = self.command_of(name)
            self.start(name, [*words, "--port", str(self.ports[name])])
        for name in ("redis", "broker", "camera-1", "camera-2"):
            wait(f"{name} answers", lambda: answers(self.ports[name]))
        with open(self.scratch / "topics", "w") as topics:
            listen = ["mosquitto_sub", "-p", str(self.ports["broker"]), "-t", "gst-bcp/#", "-F", "%t %p"]
            self.processes.append(subprocess.Popen(listen, stdout=topics))
        for name in ("tagger-1", "tagger-2"):
            self.start(name, self.command_of(name))

    def status(self) -> dict:
        address = f"redis://127.0.0.1:{self.ports['redis']}/0/street"
        run = subprocess.run(["gst-bcp", "fleet", "status", "--json", address], env=self.environment, capture_output=True, text=True)
        return json.loads(run.stdout) if run.returncode == 0 else {"nodes": []}

    def metric(self, tagger: str, name: str) -> float:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[tagger]}/metrics", timeout=10) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            return 0
        return max((float(line.split()[-1]) for line in lines if line.startswith(name + "{")), default=0)

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait()


def main() -> None:
    root, scratch = map(pathlib.Path, sys.argv[1:])
    deployment = Deployment(root, scratch)
    try:
        deployment.start_all()
        wait(
            "both taggers have learnt",
            lambda: [n["node"] for n in deployment.status()["nodes"] if n["samples"] > 0] == ["tagger-1", "tagger-2"],
        )
        for tagger in ("tagger-1", "tagger-2"):
            wait(f"{tagger} uses what the other has learnt", lambda: deployment.metric(tagger, "bcp_fleet_samples") > 0)
            wait(f"the broker has heard of {tagger}", lambda: f"gst-bcp/{tagger}/" in (scratch / "topics").read_text())
    except BaseException:
        for log in sorted(scratch.glob("*.log")):
            print(f"-- {log.name}\n{log.read_text()[-2000:]}", file=sys.stderr)
        raise
    finally:
        deployment.stop()
    for log in scratch.glob("*.log"):
        assert PASSWORD not in log.read_text(), f"{log.name} shows the password"


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: LGPL-2.1-or-later
"""One side of a comparison: a process that does the same work on command, and its client.

The process loads its model, prints {"ready": DESCRIPTION, "inputs": COUNT}, and then answers each line of its standard input
with one line of JSON:

    embeddings    -> {"embeddings": [[…], …]}                   one for each input, in order
    N             -> {"frames", "inferences", "cpu", "wall", "resident"}   of N frames, seconds and megabytes

Only one process works at a time, so all of them can share one core and take turns round by round: what else the machine does
falls on all of them alike.
"""
import json
import os
import resource
import subprocess
import sys
import time


class Failure(Exception):
    """The work was not done, so there is nothing to report."""


class Contender:
    """A running process of the protocol above, on one core."""

    def __init__(self, name, command, core=None, env=None):
        self.name = name

        def pin():
            if core is not None:
                os.sched_setaffinity(0, {core})

        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=pin,
                                        env={**os.environ, **(env or {})})
        ready = self._answer()
        self.description, self.inputs = ready["ready"], ready["inputs"]

    def _answer(self):
        for line in self.process.stdout:
            if line.startswith("{"):  # libraries print lines of their own
                return json.loads(line)
        raise Failure(f"{self.name}: ended with exit code {self.process.wait()} before it answered, see above")

    def _ask(self, command):
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        return self._answer()

    def embeddings(self):
        return self._ask("embeddings")["embeddings"]

    def cost(self, frames):
        cost = self._ask(frames)
        if cost["inferences"] != frames or cost["frames"] != frames:
            raise Failure(f"{self.name}: {cost['inferences']} inferences for {frames} frames")
        return cost

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


def serve(description, inputs, run):
    """Answers the protocol in this process. run(i) works on input i and returns its embedding as a list or an array."""
    run(0)
    print(json.dumps({"ready": description, "inputs": inputs}), flush=True)
    for line in sys.stdin:
        if line.strip() == "embeddings":
            answer = {"embeddings": [[float(x) for x in run(i)] for i in range(inputs)]}
        else:
            frames, done = int(line), 0
            cpu, wall = time.process_time(), time.monotonic()
            for i in range(frames):
                done += run(i % inputs) is not None
            answer = {"cpu": time.process_time() - cpu, "wall": time.monotonic() - wall, "frames": frames, "inferences": done,
                      "resident": resident_megabytes()}
        print(json.dumps(answer), flush=True)


def resident_megabytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20

#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what gst-bcp costs beside what others cost for the same work, as one page of tables.

    table.py --build BUILD [--openvino-build BUILD] [--python PYTHON] [--tree DEBIAN_13] [--model BUNDLE]… [--rounds N] [--quick]

Contenders take turns on one core, at least five rounds; ratios are taken round by round, and the median is printed with the
lowest and the highest. A contender fails the program when it makes fewer inferences than it got frames, or when its embeddings
are not those of the picture. What is not installed is named with the reason. `tests/run.sh --bench` installs all of it and runs
this; tests/bench/README.md describes the rows.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import material
import microbenchmarks
from contender import Contender, Failure
from measure import check_embeddings, print_ratios, print_rows, rounds

FP32, BF16, OWN_LOOP = "bcptagger, fp32", "bcptagger, OpenVINO bf16", "bare run, OpenVINO's own loop bf16"
ONNXINFERENCE = "videocrop ! videoconvertscale ! onnxinference"
RATIOS = ((BF16, OWN_LOOP), (BF16, FP32), (ONNXINFERENCE, FP32), (ONNXINFERENCE, BF16),
          ("Python, OpenCV, ONNX Runtime", FP32), ("Python, Pillow, ONNX Runtime", FP32))

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CLIP = ROOT / "tests" / "data" / "clips" / "intel_one-by-one.mp4"


class Bench:
    """The settings of a run, and the contenders that can take part in it."""

    def __init__(self, arguments, directory):
        self.arguments, self.directory = arguments, pathlib.Path(directory)
        self.core = max(os.sched_getaffinity(0))
        self.skipped = {}

    def ours(self, name, build, *arguments):
        env = {"GST_PLUGIN_PATH": f"{build}/gst-plugin", "GST_REGISTRY": f"{self.directory}/{pathlib.Path(build).name}-registry.bin"}
        return Contender(name, [f"{build}/tests/bench/contender", *map(str, arguments)], self.core, env)

    def python(self, name, *arguments):
        return Contender(name, [self.arguments.python, HERE / "python_loop.py", *map(str, arguments)], self.core)

    def onnxinference(self, model, frames):
        # The tree sees only this directory, as its /mnt.
        for script in HERE.glob("*.py"):
            (self.directory / script.name).write_bytes(script.read_bytes())
        model.with_tensor_id(self.directory / "tower.onnx")
        arguments = ["/mnt/tower.onnx", f"/mnt/{frames.path.name}", *frames.python_arguments(model)[1:]]
        return Contender(ONNXINFERENCE,
                         ["unshare", "--mount", HERE / "enter_tree.sh", self.arguments.tree, self.directory, "python3",
                          "/mnt/onnxinference_loop.py", *arguments], self.core)

    def can(self, what, found, otherwise):
        if not found:
            self.skipped[what] = otherwise
        return found

    def has_python(self):
        return self.can("Python with OpenCV or Pillow, OpenVINO's own loop", self.arguments.python, "no --python with their packages")

    def has_tree(self):
        return (self.can("onnxinference", self.arguments.tree, "no --tree of Debian 13")
                and self.can("onnxinference", os.geteuid() == 0, "entering the tree needs root"))

    def has_openvino(self):
        return self.can("bcptagger with OpenVINO", self.arguments.openvino_build, "no --openvino-build")

    def has_bf16(self):
        flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
        return self.can("bf16", "avx512_bf16" in flags or "amx_bf16" in flags, "this processor has neither avx512_bf16 nor amx_bf16")


def contenders(bench, model, frames, tensors):
    """Everyone who makes embeddings of these frames with this model; the bare run first."""
    build, openvino = bench.arguments.build, bench.arguments.openvino_build
    yield bench.ours("bare run, ONNX Runtime fp32", build, "bare", model.path, "cpu", "fp32", tensors)
    yield bench.ours(FP32, build, "element", model.path, "cpu", "fp32", frames.caps, frames.path)
    if bench.has_openvino() and bench.has_bf16():
        yield bench.ours("bare run, ONNX Runtime's OpenVINO bf16", openvino, "bare", model.path, "openvino", "bf16", tensors)
        yield bench.ours(BF16, openvino, "element", model.path, "openvino", "bf16", frames.caps, frames.path)
    if bench.has_python() and bench.has_bf16():
        yield bench.python(OWN_LOOP, "openvino", "bf16", model.visual, tensors, model.size)
    if bench.has_python():
        yield bench.python("Python, OpenCV, ONNX Runtime", "opencv", model.visual, *frames.python_arguments(model))
        yield bench.python("Python, Pillow, ONNX Runtime", "pillow", model.visual, *frames.python_arguments(model))
    if bench.has_tree():
        yield bench.onnxinference(model, frames)


def compare(bench, model, frames, least, frames_a_round):
    tensors = frames.reference(model)
    everyone = []
    try:
        for each in contenders(bench, model, frames, tensors):
            everyone.append(each)
        rows = rounds(everyone, bench.arguments.rounds, frames_a_round)
        check_embeddings(everyone, rows, everyone[0], least)
        print_rows(rows, rows[0], f"### {model.name}, NV12 {frames.width}x{frames.height}, one thread")
        print_ratios(rows, RATIOS)
    finally:
        for each in everyone:
            each.close()


def scaling(bench, model, frames, frames_a_round):
    """Streams on one model, and labels: more of them in the same element."""
    build, everyone = bench.arguments.build, []
    element = ["element", model.path, "cpu", "fp32", frames.caps, frames.path]
    try:
        for streams in (1, 2, 8):
            everyone.append(bench.ours(f"{streams} stream{'s' * (streams > 1)} on one model", build, *element, streams))
        for labels in (20, 80, 1000) if not bench.arguments.quick else (20, 80):
            path = bench.directory / f"{labels}.txt"
            path.write_text("".join(f"thing {i}\n" for i in range(labels)), encoding="ascii")
            everyone.append(bench.ours(f"{labels} labels", build, *element, 1, path))
        rows = rounds(everyone, bench.arguments.rounds, frames_a_round)
        print_rows(rows, rows[0], f"### Streams and labels: {model.name}, NV12 {frames.width}x{frames.height} "
                   "(times: against one stream with the default labels)")
    finally:
        for each in everyone:
            each.close()


def machine():
    cpu = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines()
                if line.startswith("model name")), "unknown processor")
    gstreamer = subprocess.run(["gst-launch-1.0", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    return f"{cpu}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, GStreamer {gstreamer}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--openvino-build")
    parser.add_argument("--python")
    parser.add_argument("--tree")
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds = 1
    models = [material.Model(path) for path in arguments.model or [ROOT / "models" / "mini"]]
    print(f"{machine()}; median of {arguments.rounds} rounds (lowest to highest), contenders in turn on one core")
    microbenchmarks.print_tables(arguments)
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(arguments, directory)
        sizes = material.SIZES[:1] if arguments.quick else material.SIZES
        sets = [material.Frames(CLIP, directory, *size, 4) for size in sizes]
        # Labels are decided by embeddings: fp32 has to give CLIP's own. In bf16 a frame may differ in the fourth digit.
        least = {FP32: 0.9999, BF16: 0.999}
        for model in models:
            large = model.visual.stat().st_size > 50e6
            for frames in sets:
                if not large or (frames.width, frames.height) == (1920, 1080):
                    compare(bench, model, frames, least, 4 if arguments.quick else 8 if large else 40)
        scaling(bench, models[0], sets[0], 8 if arguments.quick else 40)
    print()
    for what, reason in bench.skipped.items():
        print(f"Left out: {what}: {reason}.")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"benchmark failed: {failure}")

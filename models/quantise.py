#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the int8 variant of a model's image tower with calibration pictures, for bcptagger precision=int8.

    quantise.py MODEL PICTURES...

MODEL is what bcptagger takes: a bundle's directory, a Hugging Face or other layout, or a name. PICTURES are pictures, clips or
folders of them: 100 pictures or more of what the streams will show. They need no labels. Every fourth picture and the last quarter
of each clip are held out: with those the int8 tower is compared with the fp32 one. The file is written beside the image tower
(visual_int8.onnx beside visual.onnx) if the embeddings stay near enough.

Needs gst-bcp, numpy, onnx and onnxruntime: scripts/setup.sh --quantise puts the last two into .deps/quantise.
"""
import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

from calibration import describe, find, prepare, split
from make_bundle import Fault, sha256, write_manifest

HERE = os.path.dirname(os.path.abspath(__file__))
FEWEST, ENOUGH = 12, 100  # pictures to calibrate with
LEAST_COSINE = 0.995


def say(text):
    print(text, flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL", help="the model's directory, or a name that gst-bcp model list shows")
    parser.add_argument("pictures", metavar="PICTURES", nargs="+", help="pictures, clips, or folders of them")
    parser.add_argument("--force", action="store_true", help="replace an int8 variant, and write one that drifts too far")
    parser.add_argument("--least-cosine", type=float, default=LEAST_COSINE, metavar="COSINE",
                        help=f"write nothing where the mean cosine with fp32 is lower (default: {LEAST_COSINE})")
    parser.add_argument("--calibration", choices=["minmax", "percentile", "entropy"], default="minmax",
                        help="how ranges are chosen: the largest value seen, or one that cuts rare large values (default: minmax)")
    parser.add_argument("--keep", action="append", default=[], metavar="NODE", help="leave this node in float; may be repeated")
    parser.add_argument("--reduce-range", choices=["auto", "yes", "no"], default="auto",
                        help="weights of 7 bits, for x86-64 processors without VNNI, where sums of 8 bits overflow (default: as this one needs)")
    parser.add_argument("--labels", metavar="LABEL,LABEL...", help="count changes of these labels (default: the model's own, else everyday nouns)")
    parser.add_argument("--most", type=int, default=200, metavar="N", help="pictures to calibrate with, and to judge with, at most (default: 200)")
    parser.add_argument("--gst-bcp", metavar="PROGRAM", help="the gst-bcp to use (default: that of this tree's build, else of the path)")
    return parser.parse_args()


class GstBcp:
    """Runs gst-bcp."""

    def __init__(self, program):
        built = os.path.join(HERE, "..", "build", "tools", "gst-bcp", "gst-bcp")
        self.program = program or (built if os.path.exists(built) else shutil.which("gst-bcp"))
        if not self.program:
            raise Fault("gst-bcp is not built and not on the path: run scripts/setup.sh, or name it with --gst-bcp")
        self.environment = dict(os.environ)
        self.environment.setdefault("GST_BCP_MODEL_PATH", HERE)

    def __call__(self, *arguments):
        try:
            return subprocess.run([self.program, *arguments], capture_output=True, text=True, env=self.environment)
        except OSError as error:
            raise Fault(f"{self.program} cannot be run: {error.strerror}")

    def json(self, *arguments):
        """What it finds, or its own sentence as a Fault."""
        ran = self(*arguments, "--json")
        if ran.returncode != 0:
            lines = ran.stderr.strip().splitlines() or [f"gst-bcp {arguments[1]} ended with {ran.returncode}"]
            raise Fault(re.sub(r"^gst-bcp: ", "", lines[-1]))
        return json.loads(ran.stdout)


def target_of(found, force):
    """The file to write; refuses models that cannot be quantised."""
    visual = os.path.join(found["directory"], found["visual"]["file"])
    if found["precision"] == "int8":
        raise Fault(f"the model {found['name']} is int8 already: give the fp32 model")
    if found["visual"]["input"]["type"] != "float" or found["precision"] != "fp32" or re.search(r"[_-](fp16|float16|q4|q4f16)\.onnx$", visual):
        raise Fault(f"{visual} is not in 32-bit floats: give the fp32 model")
    there = found["visual"]["int8"]
    if there and not force:
        raise Fault(f"{os.path.join(found['directory'], there)} exists: use --force to replace it")
    folder = os.path.dirname(visual)
    if not os.access(folder, os.W_OK):
        raise Fault(f"{folder} cannot be written to: copy the model to a directory of your own")
    return visual, re.sub(r"([_-](fp32|float32))?\.onnx$", "_int8.onnx", visual)


def needs_reduced_range(processor):
    return platform.machine() == "x86_64" and "vnni" not in processor["features"]


def read_manifest(directory):
    path = os.path.join(directory, "bundle.json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def stage(found, target, candidate, scratch):
    """A copy of the model, of links, with the candidate as its int8 variant. Returns its directory."""
    staged = os.path.join(scratch, "staged", os.path.basename(os.path.normpath(found["directory"])))
    for folder, folders, names in os.walk(found["directory"]):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = os.path.join(staged, os.path.relpath(folder, found["directory"]))
        os.makedirs(inside, exist_ok=True)
        for name in names:
            if os.path.join(folder, name) != target and name != "bundle.json":
                os.symlink(os.path.join(os.path.abspath(folder), name), os.path.join(inside, name))
    name = os.path.relpath(target, found["directory"])
    os.symlink(candidate, os.path.join(staged, name))
    manifest = read_manifest(found["directory"])
    if manifest:
        manifest["sha256"][name] = sha256(candidate)
        write_manifest(staged, manifest)
    return staged


def measure(gst_bcp, found, staged, pictures, labels):
    """What the int8 tower does to the held-out pictures, on each provider there is, and bf16 where the processor has it."""
    ways = [("cpu", "int8")]
    if "OpenVINOExecutionProvider" in found["providers"]:
        ways.append(("openvino", "int8"))
        if "bf16" in found["processor"]["features"]:
            ways.append(("openvino", "bf16"))
    fixed = [*pictures, "--model", staged, "--threads", "1", *(["--labels", labels] if labels else [])]
    return [gst_bcp.json("model", "drift", *fixed, "--provider", provider, "--precision", precision) for provider, precision in ways]


def show(measured, describe_picture):
    say(f"{'':16}{'cosine, mean':>13}{'lowest':>9}{'top label':>11}{'shown labels':>14}{'time':>10}{'of fp32':>9}")
    for each in measured:
        count, shown = each["pictures"], each["shown"]
        say(f"{each['compared']['precision'] + ' on ' + each['compared']['provider']:16}{each['cosine']['mean']:13.5f}{each['cosine']['lowest']:9.5f}"
            f"{each['top_label_changed']:6} of {count}{shown['changed']:8} of {count}{each['ms']['compared']:7.1f} ms"
            f"{each['ms']['compared'] / max(each['ms']['reference'], 1e-9):9.2f}")
    worst = min(measured, key=lambda each: each["cosine"]["lowest"])
    say(f"Changed: pictures of the {measured[0]['pictures']} held out. Time: processor time a picture, one thread. fp32 on cpu: "
        f"{measured[0]['ms']['reference']:.1f} ms.")
    say(f"The lowest cosine is that of {describe_picture(worst['cosine']['lowest_picture'])}")


def install(found, target, candidate, kept):
    """Puts the candidate in place. Whatever interrupts this, the fp32 model can be opened: bundle.json never has a checksum of
    another file than the one that is there."""
    name = os.path.relpath(target, found["directory"])
    manifest = read_manifest(found["directory"])
    if manifest and manifest["sha256"].pop(name, None):
        write_manifest(found["directory"], manifest)
    temporary = target + ".tmp"
    shutil.copyfile(candidate, temporary)
    os.replace(temporary, target)
    if manifest:
        manifest["sha256"][name] = sha256(target)
        manifest.setdefault("variants", {})[name] = kept
        write_manifest(found["directory"], manifest)


def run(options):
    pictures, clips = find(options.pictures)
    gst_bcp = GstBcp(options.gst_bcp)
    found = gst_bcp.json("model", "check", options.model, "--provider", "cpu", "--precision", "fp32")
    visual, target = target_of(found, options.force)
    try:
        import onnx
        from onnx_int8 import quantise
    except ImportError as missing:
        raise Fault(f"it needs the Python package {missing.name}: run scripts/setup.sh --quantise, then this script with "
                    ".deps/quantise/bin/python; or pip install numpy onnx onnxruntime")
    if len(onnx.load(visual, load_external_data=False).graph.input) != 1:
        raise Fault(f"{visual} has more inputs than pictures: give a model whose image tower is a file of its own")

    with tempfile.TemporaryDirectory(prefix="gst-bcp-quantise-") as scratch:
        calibrate, judge = split(pictures, clips, scratch, options.most)
        tensors, count, faults = prepare(gst_bcp, found["directory"], calibrate, os.path.join(scratch, "tensors"))
        for fault in faults[:3]:
            say(f"note: {fault}")
        if count < FEWEST or len(judge) < FEWEST // 3:
            raise Fault(f"at least {FEWEST} pictures to calibrate with and {FEWEST // 3} to judge with are needed, and {ENOUGH} are better; "
                        f"found: {count} and {len(judge)}: give more")
        if count < ENOUGH:
            say(f"warning: calibrated with few pictures; {ENOUGH} or more, of all that the streams will show, make the ranges reliable")
        reduce_range = needs_reduced_range(found["processor"]) if options.reduce_range == "auto" else options.reduce_range == "yes"
        candidate = os.path.join(scratch, "candidate.onnx")
        quantised, nodes = quantise(visual, candidate, scratch, tensors(), options.calibration, reduce_range, set(options.keep))
        if quantised == 0:
            raise Fault(f"{visual} has no convolution or product with constant weights beyond its first: there is nothing to quantise")
        say(f"{found['name']}: {quantised} of {nodes} nodes in int8, calibrated with {count} pictures ({options.calibration}"
            f"{', 7 bits' if reduce_range else ''}); {os.path.getsize(visual) / 1e6:.1f} MB became {os.path.getsize(candidate) / 1e6:.1f} MB")
        measured = measure(gst_bcp, found, stage(found, target, candidate, scratch), judge, options.labels)
        show(measured, lambda path: describe(path, clips, scratch))
        of_int8 = [each["cosine"] for each in measured if each["compared"]["precision"] == "int8"]
        mean, lowest = (min(cosine[key] for cosine in of_int8) for key in ("mean", "lowest"))
        if mean < options.least_cosine and not options.force:
            raise Fault(f"the mean cosine {mean:.5f} is below {options.least_cosine:g}, so nothing was written: give more varied pictures, try "
                        "--calibration percentile or --keep NODE, or use precision=bf16; --force writes it all the same")
        install(found, target, candidate, {"calibration": options.calibration, "pictures": count, "cosine_mean": round(mean, 6),
                                           "cosine_lowest": round(lowest, 6)})
    say(f"Written: {target}; bcptagger model={options.model} precision=int8 uses it")


def main():
    options = parse_arguments()
    try:
        run(options)
    except (Fault, OSError) as fault:
        sys.exit(f"quantise.py: {fault}")


if __name__ == "__main__":
    main()

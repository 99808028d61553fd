# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables of the parts, from the programs that use Google Benchmark (bench-preprocess, bench-adapt, bench-presence)."""
import json
import statistics
import subprocess

from contender import Failure

SIZES = (("640/360", "640x360"), ("1920/1080", "1080p"), ("3840/2160", "4K"))
FORMATS = ("nv12", "i420", "yuy2", "rgb", "bgrx")
WAYS = ("centre", "centre/close", "squash", "squash/close", "tiles", "tiles/close", "opencv", "videoconvertscale")
LABELS = (20, 80, 1000, 20000)


def run(arguments, program, names):
    """CPU times by the benchmark's name: one for each repetition, taken in random order with those of the others."""
    command = [f"{arguments.build}/tests/bench/{program}", f"--benchmark_filter={names}", "--benchmark_format=json"]
    if arguments.quick:
        command += ["--benchmark_min_time=0.005"]
    else:
        command += ["--benchmark_repetitions=5", "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"{program}: {done.stderr.strip()}")
    times = {}
    for each in json.loads(done.stdout)["benchmarks"]:
        if each.get("run_type") == "iteration":
            times.setdefault(each["run_name"], []).append(each["cpu_time"])
    return times


def cell(times, name):
    values = times.get(name)
    return f"{statistics.median(values):.3g} ({min(values):.3g} to {max(values):.3g})" if values else ""


def print_preprocessing(arguments):
    sizes = SIZES[:1] if arguments.quick else SIZES
    numbers = "|".join(key for key, _ in sizes)
    times = run(arguments, "bench-preprocess", f"/({'|'.join(WAYS)})/({numbers})$")
    print("\n### A frame to the model's input: CPU ms, one thread\n")
    print("| | " + " | ".join(name for _, name in sizes) + " |")
    print("| --- |" + " ---: |" * len(sizes))
    for kind in (f"{stored}/{way}" for stored in FORMATS for way in WAYS):
        if f"{kind}/{sizes[0][0]}" in times:
            print(f"| {kind.replace('/', ', ')} | " + " | ".join(cell(times, f"{kind}/{key}") for key, _ in sizes) + " |")
    for kind in ("nv12/centre", "nv12/centre/close", "nv12/videoconvertscale"):
        if not times.get(f"{kind}/640/360"):
            raise Failure(f"bench-preprocess has no row {kind}")


def print_labels(arguments):
    counts = LABELS[:2] if arguments.quick else LABELS
    numbers = "|".join(map(str, counts))
    times = {**run(arguments, "bench-adapt", f"^correct_and_learn/(paper|video)/({numbers})$"),
             **run(arguments, "bench-presence", f"^score_and_smooth/plain/({numbers})$")}
    print("\n### Correcting, learning and deciding one frame: CPU µs, by number of labels\n")
    print("| | " + " | ".join(f"{count:,}" for count in counts) + " |")
    print("| --- |" + " ---: |" * len(counts))
    for kind, name in (("correct_and_learn/video", "adapter, preset=video"), ("correct_and_learn/paper", "adapter, preset=paper"),
                       ("score_and_smooth/plain", "presence")):
        if not all(times.get(f"{kind}/{count}") for count in counts):
            raise Failure(f"no row {kind} for each of {numbers} labels")
        print(f"| {name} | " + " | ".join(cell(times, f"{kind}/{count}") for count in counts) + " |", flush=True)


def print_tables(arguments):
    print_preprocessing(arguments)
    print_labels(arguments)

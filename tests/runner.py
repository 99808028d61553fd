# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the test programs of a build and the cases of the shell suites, and counts every single test.

A suite is a folder of tests/: what meson knows under that name (GoogleTest programs, and programs that are one test each), and
the folder's shell files, whose functions named Subject.Sentence are the tests. Each test is run once. A test that was announced
and gave no result (a crash, a time-out) has failed; so has a program that fails after its tests passed (a leak, a race), and so
has a run in which there was nothing to run. The last line of the output is "N passed, N failed", over several runs with --add
and --carry.

With --jobs, several programs run at the same time; the tests of one program still run one after the other. A shell file with the
line "# Runs alone: REASON" runs after all others, by itself.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

SECONDS_PER_PROGRAM = 600
CASE = re.compile(r"^([A-Z]\w*\.[A-Z]\w*)\(\)", re.MULTILINE)
ALONE = re.compile(r"^# Runs alone: ", re.MULTILINE)


@dataclasses.dataclass
class Outcome:
    """The result of one test. `log` is shown if it failed."""

    name: str
    passed: bool
    log: str = ""


@dataclasses.dataclass
class Finished:
    """A process that has ended, or was ended."""

    output: str
    status: int
    timed_out: bool

    def ending(self) -> str:
        if self.timed_out:
            return "was stopped: it ran out of time"
        if self.status < 0:
            return f"crashed with {signal.Signals(-self.status).name}"
        return f"ended with exit code {self.status}"


def run(command: list[str], seconds: float, environment: dict[str, str], directory: pathlib.Path) -> Finished:
    """Runs a command in its own process group, so that a time-out ends its children too."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                   env=environment, cwd=directory, start_new_session=True)
        timed_out = False
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        log.seek(0)
        return Finished(log.read().decode(errors="replace"), process.returncode, timed_out)


class GoogleTestProgram:
    """A GoogleTest executable, as meson describes it."""

    alone = False

    def __init__(self, suite: str, description: dict, settings: Settings) -> None:
        self.label = f"{suite}/{pathlib.Path(description['cmd'][0]).name}"
        self._command = description["cmd"]
        self._environment = settings.environment(description["env"])
        self._settings = settings

    def tests(self) -> list[str]:
        """The names from GoogleTest. Raises RuntimeError when the program cannot list them."""
        listing = run([*self._command, "--gtest_list_tests"], 60, self._environment, self._settings.build)
        if listing.status != 0 or listing.timed_out:
            raise RuntimeError(f"{listing.ending()}\n{listing.output}")
        names, subject = [], ""
        for line in listing.output.splitlines():
            line = line.split("  # ")[0].rstrip()
            if line.startswith("  ") and subject:
                names.append(subject + line.strip())
            elif re.fullmatch(r"\S+\.", line):
                subject = line
        return [name for name in names if "DISABLED_" not in name]

    def run(self, names: list[str], everything: bool) -> list[Outcome]:
        with tempfile.TemporaryDirectory() as scratch:
            report = pathlib.Path(scratch) / "report.json"
            flags = [f"--gtest_output=json:{report}", "--gtest_color=no", "--gtest_repeat=1", "--gtest_shuffle=0"]
            if not everything:
                chosen = pathlib.Path(scratch) / "flags"  # a file: a thousand names do not fit on a command line
                chosen.write_text("--gtest_filter=" + ":".join(names) + "\n")
                flags.append(f"--gtest_flagfile={chosen}")
            done = run([*self._command, *flags], self._settings.seconds(), self._environment, self._settings.build)
            results, skipped = read_report(report)
        self._settings.keep_log(self.label, done.output)
        outcomes = []
        for name in names:
            if name in skipped and self._settings.may_skip:
                print(f"SKIP  {self.label}/{name}\n" + indented(output_of(name, done.output)), flush=True)
                continue
            passed = results.get(name)
            if passed is None:
                passed = finished_before_the_end(name, done.output)
            log = "" if passed else output_of(name, done.output) or f"did not finish: the program {done.ending()}"
            outcomes.append(Outcome(f"{self.label}/{name}", passed, log))
        if done.status != 0 and all(outcome.passed for outcome in outcomes):
            # Every test passed, but the program failed: the output has the leak or race.
            outcomes.append(Outcome(f"{self.label} as a whole", False, f"{done.ending()}\n{last_lines(done.output, 80)}"))
        elif outcomes and (done.status < 0 or done.timed_out):
            outcomes[-1].log += f"\n{done.ending()}\n{last_lines(done.output, 40)}"
        return outcomes


def read_report(report: pathlib.Path) -> tuple[dict[str, bool], set[str]]:
    """Which tests passed and which were skipped, from GoogleTest's JSON; empty after a crash."""
    try:
        data = json.loads(report.read_text())
    except (OSError, ValueError):
        return {}, set()
    results, skipped = {}, set()
    for group in data.get("testsuites", []):
        for test in group.get("testsuite", []):
            name = f"{group['name']}.{test['name']}"
            results[name] = test.get("result") == "COMPLETED" and not test.get("failures")
            if test.get("result") == "SKIPPED":
                skipped.add(name)
    return results, skipped


def finished_before_the_end(name: str, output: str) -> bool:
    """Whether a program that crashed had already passed this test."""
    return re.search(rf"^\[       OK \] {re.escape(name)}(?:,| \()", output, re.MULTILINE) is not None


def output_of(name: str, output: str) -> str:
    """What a GoogleTest program printed between the start and the end of one test."""
    start = re.search(rf"^\[ RUN      \] {re.escape(name)}$", output, re.MULTILINE)
    if not start:
        return ""
    rest = output[start.start():]
    end = re.search(rf"^\[ *(?:FAILED|SKIPPED|OK) *\] {re.escape(name)}.*$", rest, re.MULTILINE)
    return last_lines(rest[: end.end()] if end else rest, 120)


class SingleTest:
    """A program that is one test: its exit code is the result."""

    alone = False

    def __init__(self, suite: str, description: dict, settings: Settings) -> None:
        self.label = suite
        self._name = description["name"]
        self._command = description["cmd"]
        self._environment = settings.environment(description["env"])
        self._settings = settings

    def tests(self) -> list[str]:
        return [self._name]

    def run(self, names: list[str], everything: bool) -> list[Outcome]:
        done = run(self._command, self._settings.seconds(), self._environment, self._settings.build)
        self._settings.keep_log(f"{self.label}/{self._name}", done.output)
        return [outcome_of(f"{self.label}/{self._name}", done)]


def outcome_of(name: str, done: Finished) -> Outcome:
    """The outcome of a test that is a process."""
    passed = done.status == 0 and not done.timed_out
    return Outcome(name, passed, "" if passed else f"{last_lines(done.output, 80)}\n{done.ending()}")


class ShellCases:
    """A shell file; every function in it that is named Subject.Sentence is a test, run in its own shell."""

    def __init__(self, suite: str, path: pathlib.Path, settings: Settings) -> None:
        self.label = f"{suite}/{path.stem}"
        self.alone = ALONE.search(path.read_text()) is not None
        self._path = path
        self._settings = settings

    def tests(self) -> list[str]:
        return CASE.findall(self._path.read_text())

    def run(self, names: list[str], everything: bool) -> list[Outcome]:
        outcomes = []
        support = self._path.with_name("support.bash")
        if not support.exists():
            support = self._path.parent.with_name("common") / "support.bash"
        for name in names:
            with tempfile.TemporaryDirectory() as scratch:
                environment = self._settings.environment({}) | {"SCRATCH": scratch, "ROOT": str(self._settings.root),
                                                              "BUILD": str(self._settings.build)}
                script = f'set -euo pipefail; . "{support}"; . "{self._path}"; {name}'
                done = run(["bash", "-c", script], self._settings.seconds(), environment, self._settings.root)
            self._settings.keep_log(f"{self.label}-{name}", done.output)
            outcomes.append(outcome_of(f"{self.label}/{name}", done))
        return outcomes


@dataclasses.dataclass
class Settings:
    """Where the tests find things."""

    root: pathlib.Path
    build: pathlib.Path
    slower: float
    may_skip: bool

    def seconds(self) -> float:
        return SECONDS_PER_PROGRAM * self.slower

    def environment(self, own: dict[str, str]) -> dict[str, str]:
        """The environment of a test: the caller's variables, overridden by those of the test from meson and those of the tree."""
        plugin = self.build / "gst-plugin"
        libraries = [os.environ.get("LD_LIBRARY_PATH", ""), own.get("LD_LIBRARY_PATH", ""), str(plugin / "meta")]
        return os.environ | own | {
            "GST_REGISTRY": str(self.build / "test-registry.bin"),
            "GST_PLUGIN_PATH": str(plugin),
            "GST_BCP_MODEL_PATH": str(self.root / "models"),
            "GI_TYPELIB_PATH": str(plugin / "meta"),
            "LD_LIBRARY_PATH": ":".join(path for path in libraries if path),
        }

    def keep_log(self, label: str, output: str) -> None:
        directory = self.build / "test-logs"
        directory.mkdir(exist_ok=True)
        (directory / (label.replace("/", "-") + ".log")).write_text(output)


def indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


def last_lines(text: str, count: int) -> str:
    lines = text.rstrip().splitlines()
    return "\n".join((["…"] if len(lines) > count else []) + lines[-count:])


Program = GoogleTestProgram | SingleTest | ShellCases


def programs_of(suite: str, settings: Settings) -> list[Program]:
    described = settings.build / "meson-info" / "intro-tests.json"
    programs = json.loads(described.read_text()) if described.exists() else []
    return [(GoogleTestProgram if test["protocol"] == "gtest" else SingleTest)(suite, test, settings)
            for test in programs if any(name.split(":")[-1] == suite for name in test["suite"])] + [
        ShellCases(suite, path, settings) for path in sorted((settings.root / "tests" / suite).glob("*.sh"))]


def run_program(program: Program, name: str) -> list[Outcome]:
    """Runs the tests of a program whose full name contains `name`, and prints the result."""
    start = time.monotonic()
    try:
        announced = program.tests()
        chosen = [test for test in announced if name.lower() in f"{program.label}/{test}".lower()]
        if announced and not chosen:
            return []
        outcomes = program.run(chosen, len(chosen) == len(announced)) if chosen else [
            Outcome(program.label, False, "has no test")]
    except RuntimeError as error:
        outcomes = [Outcome(program.label, False, f"could not list its tests: {error}")]
    failed = [outcome for outcome in outcomes if not outcome.passed]
    what = outcomes[0].name if isinstance(program, SingleTest) else program.label
    lines = [f"{'FAIL' if failed else 'PASS'}  {what}: {len(outcomes) - len(failed)} of {len(outcomes)}"
             f" in {time.monotonic() - start:.1f} s\n"]
    lines += [f"\n  FAIL  {outcome.name}\n{indented(outcome.log)}\n\n" for outcome in failed]
    print("".join(lines), end="", flush=True)  # in one piece: another program may end at the same time
    return outcomes


def run_programs(programs: list[Program], name: str, jobs: int) -> list[Outcome]:
    """Runs programs, `jobs` at a time, and those that run alone after them."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        together = list(pool.map(lambda program: run_program(program, name),
                                 [program for program in programs if not program.alone]))
    alone = [run_program(program, name) for program in programs if program.alone]
    return sum(together + alone, [])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--suites", required=True, help="comma-separated names of folders in tests/")
    parser.add_argument("--name", default="", help="run only tests whose full name contains this")
    parser.add_argument("--programs", default="", help="run only programs whose name (SUITE/PROGRAM) begins with one of these,"
                        " comma-separated")
    parser.add_argument("--slower", type=float, default=1, help="how much longer than usual a program may take")
    parser.add_argument("--jobs", type=int, default=1, help="how many programs run at the same time")
    parser.add_argument("--may-skip", action="store_true", help="print skipped tests instead of counting them as failed")
    parser.add_argument("--list", action="store_true", help="print the names and run nothing")
    parser.add_argument("--carry", type=pathlib.Path, help="write the counts to this file instead of printing them")
    parser.add_argument("--add", type=pathlib.Path, help="start with the counts in this file")
    options = parser.parse_args()
    settings = Settings(options.root, options.build, options.slower, options.may_skip)
    beginnings = tuple(options.programs.split(","))
    programs = {suite: [program for program in programs_of(suite, settings) if program.label.startswith(beginnings)]
                for suite in options.suites.split(",")}

    if options.list:
        for program in sum(programs.values(), []):
            for test in program.tests():
                if options.name.lower() in f"{program.label}/{test}".lower():
                    print(f"{program.label}/{test}")
        return 0

    outcomes = run_programs(sum(programs.values(), []), options.name, options.jobs)
    passed = sum(outcome.passed for outcome in outcomes)
    failed = len(outcomes) - passed
    if not outcomes:
        print(f"No test has {options.name} in its name." if options.name else "There was no test to run.")
        failed += 1
    if not options.name:
        for suite in [suite for suite, found in programs.items() if not found and outcomes]:
            print(f"FAIL  {suite}: this suite has no test program in {options.build}")
            failed += 1
    here = failed
    if options.add and options.add.exists():
        before = json.loads(options.add.read_text())
        passed, failed = passed + before[0], failed + before[1]
    if options.carry:
        options.carry.write_text(json.dumps([passed, failed]))
    else:
        print(f"{passed} passed, {failed} failed")
    return 1 if here else 0


if __name__ == "__main__":
    sys.exit(main())

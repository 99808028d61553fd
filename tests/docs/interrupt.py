# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a command that has no end, and interrupts it as Ctrl-C would once a file grows.

    interrupt.py FILE COMMAND...     fails if the command ends before, or if the file has not grown within two minutes; FILE may
                                     be a pattern, as in "recordings/*.mp4"
"""

import glob
import os
import pathlib
import signal
import subprocess
import sys
import time

SECONDS = 120


def size(file):
    return sum(os.path.getsize(name) for name in glob.glob(str(file)))


def main():
    file, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    before, end = size(file), time.monotonic() + SECONDS
    process = subprocess.Popen(command, start_new_session=True)
    try:
        while size(file) == before:
            if isinstance(process.poll(), int):
                sys.exit(f"it ended with {process.returncode} before {file} has grown")
            if time.monotonic() > end:
                sys.exit(f"{file} has not grown in {SECONDS} s")
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        process.wait(SECONDS)
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


if __name__ == "__main__":
    main()

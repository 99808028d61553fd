#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Takes the pictures of docs/live-page.md: opens the live page of a run on a clip, types a label, and says what is wrong.

  live_page.py CLIP FOLDER     writes live-open.png, live-typed.png, live-taught.png and live-phone.png
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "tools"))
import browser  # noqa: E402
import view_page  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

SHOWS_CHAIR = "[...document.querySelectorAll('#shown .score:not(.gone) .name')].some((e) => e.textContent === 'chair')"
WRONG = "[...document.querySelectorAll('#shown .score')].find((e) => e.querySelector('.name').textContent === 'chair')?.querySelector('.wrong')"


def walk(page: view_page.LivePage) -> None:
    page.size(1200, 1000)
    page.wait_for("document.getElementById('big').naturalWidth > 0", "no picture comes")
    page.wait_for(SHOWS_CHAIR, "no chair is shown")
    page.wait_for("document.querySelector('#events img')?.naturalWidth > 0", "the event has no picture")
    page.shoot("live-open")
    page.find("#new-words").send_keys("delivery van" + Keys.ENTER)
    page.wait_for("document.getElementById('words-status').textContent.startsWith('The labels are in use.')", "no answer is shown")
    page.run("document.getElementById('word-list').open = true")
    page.wait_for("document.getElementById('chips').textContent.includes('delivery van')", "the label is not listed")
    page.wait_for("document.getElementById('words-status').textContent.includes('probably does not know')", "the note is not shown")
    page.shoot("live-typed")
    page.run("document.getElementById('word-list').open = false; scrollTo(0, 0)")
    page.wait_for(SHOWS_CHAIR, "the chair does not come back")
    for _ in range(15):  # until it is not shown any more, before somebody walks in
        if not page.run("return " + SHOWS_CHAIR):
            break
        page.run(f"{WRONG}?.click()")
        time.sleep(0.3)
    page.run("document.activeElement.blur()")
    page.wait_for("!" + SHOWS_CHAIR, "the lesson has no effect")
    page.shoot("live-taught")
    page.size(390, 844)
    page.show("#now")
    time.sleep(2)
    page.run("scrollTo(0, 0)")
    time.sleep(1)
    page.shoot("live-phone")


def main() -> None:
    clip, view_page.SHOTS = sys.argv[1:]
    with tempfile.TemporaryDirectory() as profile, subprocess.Popen(
            ["gst-bcp", "run", "--live", clip, "--view", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        driver = browser.start(profile)
        try:
            for line in run.stderr:
                if found := re.search(r"^live page: (\S+)", line):
                    break
            threading.Thread(target=run.stderr.read, daemon=True).start()
            walk(view_page.LivePage(driver, found[1]))
        finally:
            driver.quit()
            run.terminate()


if __name__ == "__main__":
    main()

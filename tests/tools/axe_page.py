#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Opens a page without scripts in headless Chromium, and checks it with axe-core: axe_page.py FILE"""

from __future__ import annotations

import os
import sys
import tempfile

import browser


class Still(browser.Page):
    """A page that is ready once it is loaded."""

    def __init__(self, driver, path: str):
        self.driver = driver
        self.address = "file://" + os.path.abspath(path)
        driver.get(self.address)


def main() -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as profile:
        driver = browser.start(profile)
        try:
            page = Still(driver, sys.argv[1])
            page.has_no_axe_fault()
            assert page.faults() == [], page.faults()
        finally:
            driver.quit()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: LGPL-2.1-or-later
"""A page that gst-bcp wrote, in headless Chromium, with words for what a reader does."""

from __future__ import annotations

import inspect
import json
import os
import pathlib
import sys
import tempfile
import time

from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 60  # seconds; only a hang takes that long
ROOT = pathlib.Path(__file__).resolve().parents[2]
AXE = pathlib.Path(os.environ.get("GST_BCP_DEPS", ROOT / ".deps")) / "axe/axe.min.js"  # scripts/setup.sh --tests puts it there


def start(profile: str) -> WebDriver:
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1000",
                     "--force-device-scale-factor=1", "--force-prefers-reduced-motion", f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_page_load_timeout(PATIENCE)
    driver.set_script_timeout(PATIENCE)
    return driver


class Page:
    """The page, with words for what a reader does."""

    def __init__(self, driver: WebDriver, path: str):
        self.driver = driver
        before = time.monotonic()
        self.address = "file://" + os.path.abspath(path)
        driver.get(self.address)
        self.until(lambda: self.run("return document.documentElement.dataset.ready === 'true'"), "the page is not ready")
        self.seconds_to_load = time.monotonic() - before

    def run(self, script: str, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def until(self, is_true, complaint: str):
        return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(lambda _: is_true(), complaint)

    def show(self, selector: str) -> None:
        self.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)

    def click(self, selector: str) -> None:
        self.show(selector)
        self.find(selector).click()

    def first_column(self, table: str) -> list[str]:
        return self.run("return [...document.querySelectorAll(arguments[0] + ' tbody tr.clickable th bdi')].map((e) => e.textContent)", table)

    def chart_names(self, element: str) -> list[str]:
        return self.run("return echarts.getInstanceByDom(document.getElementById(arguments[0])).getOption().yAxis[0].data", element)

    def scroll_faults(self) -> list[str]:
        """What scrolls on a phone and cannot be scrolled by keyboard (axe's rule scrollable-region-focusable), or has no name.

        Sideways the arrow keys are tried as well: a focus alone scrolls nothing.
        """
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False})
        self.run("for (const each of document.querySelectorAll('details')) each.open = true")
        self.until(lambda: self.run("return innerWidth") == 390, "the window does not get narrow")
        scrolling = self.run("""
            const scrolls = (way, size, room) => ["auto", "scroll"].includes(way) && size > room + 1;
            return [...document.body.querySelectorAll("*")].filter((e) => {
              const style = getComputedStyle(e);
              return scrolls(style.overflowX, e.scrollWidth, e.clientWidth) || scrolls(style.overflowY, e.scrollHeight, e.clientHeight);
            });""")
        assert scrolling, "nothing scrolls at this width: the check needs a wide table"
        found = []
        for element in scrolling:
            what = self.run("return arguments[0].outerHTML.slice(0, 100)", element)
            named, focused, sideways = self.run("""
                const e = arguments[0];
                e.focus();
                return [["region", "group"].includes(e.getAttribute("role")) && Boolean(e.getAttribute("aria-label") || document.getElementById(e.getAttribute("aria-labelledby"))?.textContent),
                        e.tabIndex >= 0 && document.activeElement === e, e.scrollWidth > e.clientWidth + 1];""", element)
            if not named:
                found.append("has no role or name: " + what)
            if not focused:
                found.append("cannot be focused: " + what)
            elif sideways:
                element.send_keys(Keys.ARROW_RIGHT * 3)
                try:
                    WebDriverWait(self.driver, 5, poll_frequency=0.05).until(lambda _: self.run("return arguments[0].scrollLeft > 0", element))
                except TimeoutException:
                    found.append("does not follow the arrow keys: " + what)
        return found

    def has_no_axe_fault(self) -> None:
        """The rules of axe-core, wide and as wide as a phone, light and dark, with everything unfolded."""
        with open(AXE, encoding="utf-8") as file:
            script = file.read()
        self.run("for (const each of document.querySelectorAll('details')) each.open = true")
        # Not by execute_script, which a content security policy stops.
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": script})
        for width in (1400, 390):
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
            self.until(lambda: self.run("return innerWidth") == width, "the window has another width")
            for theme in ("light", "dark"):
                self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
                self.run("document.documentElement.dataset.theme = arguments[0]", theme)
                found, passed = self.driver.execute_async_script("""
                    const done = arguments[0];
                    const where = (node) => node.html + " " + node.failureSummary;
                    axe.run().then((r) => done([r.violations.map((v) => v.id + ": " + v.nodes.map(where).join(" | ")), r.passes.length]));""")
                assert found == [], f"{width} {theme}: " + "\n".join(found)
                assert passed > 5, f"{width} {theme}: only {passed} rules of axe-core were applied"

    def faults(self) -> list[str]:
        """What the console said, and what was asked of anything but the file."""
        found = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            # The browser's own pages, such as that of a new tab, ask for things too.
            if message["method"] == "Network.requestWillBeSent" and message["params"]["documentURL"] == self.address:
                address = message["params"]["request"]["url"]
                if address != self.address and not address.startswith("data:"):
                    found.append("asked for " + address)
        return found


def run_check(checks: dict) -> None:
    """Runs the functions that the command line names: CHECK[,CHECK...] PAGE [ARGUMENT...].

    They share a browser, since starting one takes longer than most checks, and each has the page in a tab of its own.
    An error in the console, or a request that leaves the file, fails every check.
    """
    names, path, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as profile:
        driver = start(profile)
        try:
            for name in names.split(","):
                driver.switch_to.new_window("tab")
                page = Page(driver, path)
                wanted = len(inspect.signature(checks[name]).parameters) - 1
                checks[name](page, *rest[:wanted])
                faults = page.faults()
                assert faults == [], f"{name}: {faults}"
        finally:
            driver.quit()

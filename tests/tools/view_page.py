#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The live page of gst-bcp run in headless Chromium: view_page.py CHECK[,CHECK...] URL [ARGUMENT...]"""

from __future__ import annotations

import os
import sys
import tempfile

from selenium.webdriver.common.keys import Keys

import browser

SHOTS = os.environ.get("SHOTS")  # a folder for pictures of the page; unset: none are made


class LivePage(browser.Page):
    """A page that goes on, at an address instead of a file."""

    def __init__(self, driver, address: str):
        self.driver = driver
        self.address = address
        driver.get(address)
        self.until(lambda: self.run("return document.documentElement.dataset.ready === 'true'"), "the page is not ready")

    def wait_for(self, script: str, complaint: str, *arguments):
        return self.until(lambda: self.run("return " + script, *arguments), complaint)

    def size(self, width: int, height: int) -> None:
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.until(lambda: self.run("return innerWidth") == width, "the window has another width")

    def shoot(self, name: str) -> None:
        if SHOTS:
            self.driver.save_screenshot(os.path.join(SHOTS, name + ".png"))

    def faults(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def shows_the_picture(page: LivePage) -> None:
    page.wait_for("document.getElementById('big').naturalWidth > 0", "no picture comes")
    first = page.run("return document.getElementById('big').src")
    page.wait_for("document.getElementById('big').src !== arguments[0]", "the picture does not change", first)
    assert page.text("#camera-name") == "door"
    page.wait_for("document.getElementById('camera-badge').textContent === 'live'", "the camera is not live")
    page.wait_for("document.querySelectorAll('#shown .score').length > 0", "no label is shown")
    assert "%" in page.text("#shown .score")
    page.wait_for("document.querySelectorAll('#tracks .span').length > 0", "the timeline is empty")
    page.wait_for("document.querySelector('#events img')?.naturalWidth > 0", "the event has no picture")
    assert page.run("return document.querySelector('#condition-body').textContent").count("a second") >= 1


def takes_labels(page: LivePage) -> None:
    """By keyboard: type, Enter, and the new label is in use; a word that the model does not know is named."""
    before = page.wait_for("Number(document.getElementById('word-count').textContent.split(' ')[0])", "no label is in use")
    box = page.find("#new-words")
    box.send_keys("delivery van" + Keys.ENTER)
    page.wait_for("document.getElementById('word-count').textContent === arguments[0]", "the label is not added", f"{before + 1} labels in use")
    page.wait_for("document.getElementById('words-status').textContent.startsWith('The labels are in use.')", "no answer is shown")
    page.wait_for("document.getElementById('chips').textContent.includes('delivery van')", "the label is not listed")
    box.send_keys("delivery van" + Keys.ENTER)
    page.wait_for("document.getElementById('words-status').classList.contains('fault')", "a label is added twice")
    box.clear()
    box.send_keys("person, dog")
    page.click("#only")
    page.wait_for("document.getElementById('word-count').textContent === '2 labels in use'", "the labels do not change")
    page.click("#word-list summary")
    page.run("const often = document.querySelector('#chips li select'); often.value = '0.5'; often.dispatchEvent(new Event('change'))")
    page.wait_for("document.querySelector('#chips li select').value === '0.5' && document.getElementById('words-status').textContent.startsWith('The labels are in use.')",
                  "the hint does not take effect")
    page.click("#all-words")
    page.wait_for("document.getElementById('word-count').textContent === arguments[0]", "the words of the model do not come back", f"{before} labels in use")


def is_told_of_a_wrong_label(page: LivePage) -> None:
    """The element's own words."""
    page.find("#new-words").send_keys("quark" + Keys.ENTER)
    page.wait_for("document.getElementById('words-status').textContent.includes('quark')", "the refusal is not shown")
    assert page.run("return document.getElementById('words-status').classList.contains('fault')")


def learns(page: LivePage) -> None:
    """A click on wrong teaches, and the page shows that it was learnt and what changed."""
    name = page.wait_for("document.querySelector('#shown .score .name')?.textContent", "no label is shown")
    page.show("#now")
    page.run("document.querySelector('#shown .wrong').click()")
    page.wait_for("/Learnt: .*→/.test(document.querySelector('#lesson-list li')?.textContent ?? '')", "no lesson is shown")
    assert name in page.text("#lesson-list li") and "is not there" in page.text("#lesson-list li")
    assert "Learnt" in page.text("#teach-status")
    page.show("#learnt")
    page.wait_for("document.querySelector('#learnt .taught')?.textContent.includes('later')", "what was taught is not shown")
    page.wait_for("document.querySelectorAll('#learnt .heat').length > 0", "there is no heat map")
    page.click("#missing-button")
    page.wait_for("document.querySelector('#lesson-list li').textContent.includes('is there')", "what was missing is not shown")


def changes_settings(page: LivePage) -> None:
    page.show("#settings")
    page.find("#threshold").send_keys(Keys.ARROW_RIGHT * 3)
    page.wait_for("document.getElementById('settings-status').textContent === 'Changed.'", "no answer is shown")
    page.run("document.activeElement.blur()")
    page.wait_for("!document.querySelector('#threshold').parentElement.textContent.includes('automatic')", "the threshold is still automatic")


def follows_axe(page: LivePage) -> None:
    page.wait_for("document.getElementById('big').naturalWidth > 0", "no picture comes")
    page.run("for (const each of document.querySelectorAll('details')) each.open = true")
    page.show("#learnt")
    page.wait_for("document.querySelector('#learnt-body').children.length > 0", "what was learnt is not shown")
    page.has_no_axe_fault()


def follows_axe_before_the_password(page: LivePage) -> None:
    assert page.run("return location.pathname") == "/login"
    page.has_no_axe_fault()


def fits_a_phone(page: LivePage) -> None:
    page.wait_for("document.getElementById('big').naturalWidth > 0", "no picture comes")
    for width in (360, 390, 768, 1400, 2560):
        page.size(width, 844)
        assert page.run("return document.documentElement.scrollWidth <= innerWidth"), f"it scrolls sideways at {width}"
    page.size(390, 844)
    small = page.run("""return [...document.querySelectorAll('button, select, summary')].filter((e) => e.offsetParent && e.getBoundingClientRect().height < 24)
      .map((e) => e.outerHTML.slice(0, 80))""")
    assert small == [], f"too small for a finger: {small}"
    # All that can be used is reached by the Tab key.
    reached = set()
    page.run("document.activeElement.blur(); scrollTo(0, 0)")
    for _ in range(60):
        page.find("body").send_keys(Keys.TAB)
        reached.add(page.run("return document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
    for wanted in ("theme", "new-words", "add", "only", "missing-label", "missing-button", "threshold", "context"):
        assert wanted in reached, f"{wanted} is not reached: {sorted(reached)}"


def chooses_among_cameras(page: LivePage) -> None:
    page.wait_for("document.querySelectorAll('.tile-button').length === 2", "there are not two cameras")
    page.wait_for("[...document.querySelectorAll('.tile-button img')].every((e) => e.naturalWidth > 0)", "a tile has no picture")
    page.find("#tiles-list li:nth-child(2) button").send_keys(Keys.ENTER)
    page.wait_for("document.getElementById('camera-name').textContent === 'yard'", "the camera is not chosen")
    assert page.run("return location.hash") == "#camera-2"


def shows_the_loss(page: LivePage) -> None:
    page.wait_for("document.getElementById('camera-badge').textContent.startsWith('lost')", "the loss is not shown")
    page.wait_for("!document.getElementById('camera-reason').hidden", "the reason is not shown")
    text = page.text("body")
    assert "rtsp" not in text and "127.0.0.1" not in text, text


def logs_in(page: LivePage, password: str) -> None:
    assert page.run("return location.pathname") == "/login"
    page.find("#password").send_keys("wrong password" + Keys.ENTER)
    page.wait_for("document.getElementById('outcome').textContent.includes('wrong')", "the refusal is not shown")
    page.find("#password").clear()
    page.find("#password").send_keys(password + Keys.ENTER)
    page.wait_for("location.pathname === '/' && document.documentElement.dataset.ready === 'true'", "the page does not open")
    page.wait_for("document.getElementById('big').naturalWidth > 0", "no picture comes")
    page.click("#logout")
    page.wait_for("location.pathname === '/login'", "the session does not end")
    # The wrong password is an error for the console.
    page.driver.get_log("browser")


def main() -> None:
    names, address, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as profile:
        driver = browser.start(profile)
        try:
            for name in names.split(","):
                page = LivePage(driver, address)
                check = globals()[name]
                check(page, *rest[: check.__code__.co_argcount - 1])
                faults = [fault for fault in page.faults() if "/api/" not in fault]
                assert faults == [], f"{name}: {faults}"
                print(name, flush=True)
        except BaseException:
            if SHOTS:
                driver.save_screenshot(os.path.join(SHOTS, "failed.png"))
            raise
        finally:
            driver.quit()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Opens a page that gst-bcp report wrote in headless Chromium, and checks one thing or several about it.

    report_page.py CHECK[,CHECK...] PAGE [RESULTS.jsonl]

Every check also fails on an error in the console and on a request that leaves the file.
"""

from __future__ import annotations

import base64
import json

from browser import Page, run_check
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select


def results(path: str) -> list[dict]:
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def shows_moments_of_change(page: Page) -> None:
    cards = page.all("#moments .moment")
    assert len(cards) == 2
    for card in cards:
        name = card.find_element(By.CSS_SELECTOR, "h3 bdi").text
        before, after = ([each.text for each in side.find_elements(By.TAG_NAME, "bdi")] for side in card.find_elements(By.CLASS_NAME, "side"))
        assert (name in before) != (name in after), f"{name} is in {before} and {after}: no moment of a change"


def follows_axe(page: Page) -> None:
    page.has_no_axe_fault()


def reports_what_was_done(page: Page, jsonl: str) -> None:
    lines = results(jsonl)
    changed = sum(any(label["shown"] != label["zero_shot_shown"] for label in line["labels"]) for line in lines)
    assert changed > 0
    headline = page.text("#headline")
    assert f"{changed:,} of {len(lines):,} results" in headline, headline
    added: dict[str, int] = {}
    for line in lines:
        for label in line["labels"]:
            if label["shown"] and not label["zero_shot_shown"]:
                added[label["label"]] = added.get(label["label"], 0) + 1
    most = max(added.values())
    assert any(f"added {name} {most} times" in headline for name, count in added.items() if count == most), headline
    assert page.text("#second-look").startswith("Worth a second look")
    shows_moments_of_change(page)


def sorts_the_changes(page: Page) -> None:
    table = "#changes-table"
    assert page.find(f"{table} th[aria-sort]").text.startswith("Changed")
    page.click(f"{table} button[data-key=name]")
    names = page.first_column(table)
    assert len(names) > 5 and names == sorted(names, key=str.lower), names
    heading = page.find(f"{table} button[data-key=name]")
    assert page.run("return document.activeElement === arguments[0]", heading), "the focus is lost"
    heading.send_keys(Keys.ENTER)
    assert page.first_column(table) == names[::-1]
    assert page.find(f"{table} th[aria-sort]").get_attribute("aria-sort") == "descending"
    page.find("#changes-search").send_keys(names[2])
    page.until(lambda: page.first_column(table)[0] == names[2] and len(page.first_column(table)) < len(names), "the search finds nothing")


def explains_a_change(page: Page) -> None:
    row = "#changes-table tr.clickable:first-child button"
    assert page.find(row).get_attribute("aria-expanded") == "false"
    page.click(row)
    assert page.find(row).get_attribute("aria-expanded") == "true"
    why = page.text(".why")
    assert "the most confident label was" in why and " the odds of " in why, why
    assert "By the end of the stream " in why and "times as likely with it" in why, why
    page.click(".why .example")
    chosen = page.text(".why .example strong")
    page.until(lambda: page.text("#inspector h3") == f"At {chosen}", "the example does not lead to its time")


def explains_presence(page: Page) -> None:
    headline = page.text("#headline")
    assert " presence changed " in headline, headline
    assert page.find("#lede-presence").is_displayed() and not page.find("#lede-softmax").is_displayed()
    headings = [each.text for each in page.all("#changes-table thead th")]
    assert "Prior" in headings and "Evidence" in headings and "Mean correction" not in headings, headings
    page.click("#changes-table tr.clickable:first-child button")
    why = page.text(".why")
    assert "a prior of " in why and "an evidence of " in why and "the threshold is 50%" in why, why
    assert "multiplied the odds" not in why and "most confident label" not in why, why
    removed = page.text("#moments .moment:last-child")
    assert " is removed" in removed and "street matched the frame better than any label" in removed, removed
    facts = page.text("#facts")
    assert "presence, shown if at least 50%" in facts and "most often street" in facts, facts
    marks = page.run("return echarts.getInstanceByDom(document.getElementById('timeline-chart')).getOption().series.map((each) => each.markLine?.data?.[0]?.yAxis)")
    assert 0.5 in marks, marks


def shows_the_reasons_under_the_pointer(page: Page) -> None:
    point_at_the_first_row(page)
    words = page.text("#tooltip")
    assert "Presence" in words and "Plain CLIP" in words and "prior " in words and "evidence +" in words and "Shown if at least 50%" in words, words


def gives_screen_readers_the_context(page: Page) -> None:
    frame = page.find("#timeline-frame")
    page.show("#timeline-frame")
    page.run("arguments[0].focus()", frame)
    frame.send_keys(Keys.HOME)
    for _ in range(32):
        frame.send_keys(Keys.ARROW_RIGHT)
    assert "Context: street 40%" in page.text("#inspector"), page.text("#inspector")
    page.until(lambda: page.text("#announcer").endswith("context: street."), "nothing is said about it")


def can_be_reached_by_tab_with_presence(page: Page) -> None:
    reached = reached_by_tab(page)
    for wanted in ("timeline-frame", "scrubber", "changes-search", "name", "prior", "evidence"):
        assert wanted in reached, f"{wanted} cannot be reached: {sorted(reached)}"


def shows_what_is_under_the_pointer(page: Page) -> None:
    point_at_the_first_row(page)
    words = page.text("#tooltip")
    assert page.chart_names("timeline-chart")[0] in words and "Before" in words and "After" in words, words
    assert "Anchor" in words or "anchor" in words, words
    page.show("h1")
    page.until(lambda: not page.find("#tooltip").is_displayed(), "the tooltip stays")


def point_at_the_first_row(page: Page) -> None:
    page.show("#timeline-frame")
    chart = page.find("#timeline-chart")
    assert not page.find("#tooltip").is_displayed()
    # In the first row, where it is shown longest: a block may be narrower than a pixel.
    x, y = page.run("""
        const chart = echarts.getInstanceByDom(document.getElementById("timeline-chart"));
        const block = chart.getOption().series.find((series) => series.id === "rows").data
          .filter((each) => each[0] === 0).reduce((widest, each) => each[2] - each[1] > widest[2] - widest[1] ? each : widest);
        return chart.convertToPixel({ gridIndex: 0 }, [(block[1] + block[2]) / 2, 0]);""")
    ActionChains(page.driver).move_to_element_with_offset(chart, x - chart.size["width"] / 2, y - chart.size["height"] / 2).perform()
    page.until(lambda: page.find("#tooltip").is_displayed(), "no tooltip")


def follows_the_keys(page: Page) -> None:
    frame = page.find("#timeline-frame")
    page.show("#timeline-frame")
    page.run("arguments[0].focus()", frame)
    frame.send_keys(Keys.HOME)
    assert page.text("#inspector h3") == "At 0:00.0", page.text("#inspector h3")
    for _ in range(5):
        frame.send_keys(Keys.ARROW_RIGHT)
    assert page.text("#inspector h3") == "At 0:00.5", page.text("#inspector h3")
    page.until(lambda: page.text("#announcer").startswith("At 0:00.5: "), "nothing is said about it")
    assert page.find("#scrubber").get_attribute("aria-valuetext") == "0:00.5"
    first = page.run("return echarts.getInstanceByDom(document.getElementById('timeline-chart')).getOption().title[0].text")
    frame.send_keys(Keys.ARROW_DOWN)
    second = page.run("return echarts.getInstanceByDom(document.getElementById('timeline-chart')).getOption().title[0].text")
    assert first != second and second.startswith("Probability of "), second
    zoom = "return echarts.getInstanceByDom(document.getElementById('timeline-chart')).getOption().dataZoom[0]"
    whole = page.run(zoom)["endValue"]
    frame.send_keys("+")
    assert page.run(zoom)["endValue"] < whole
    frame.send_keys("0")
    assert page.run(zoom)["endValue"] == whole
    page.find("#scrubber").send_keys(Keys.END)
    page.until(lambda: page.text("#inspector h3") == "At 2:09.9", "the slider does not lead to the end")


def reached_by_tab(page: Page) -> set[str]:
    reached = set()
    page.run("document.body.focus()")
    for _ in range(120):
        ActionChains(page.driver).send_keys(Keys.TAB).perform()
        reached.add(page.run("const e = document.activeElement; return e.id || e.dataset.key || e.textContent.slice(0, 30)"))
    return reached


def can_be_reached_by_tab(page: Page) -> None:
    reached = reached_by_tab(page)
    for wanted in ("theme", "timeline-search", "timeline-sort", "zoom-in", "timeline-frame", "scrubber", "changes-search", "changes-all",
                   "name", "pmi", "prior-what", "prior-order"):
        assert wanted in reached, f"{wanted} cannot be reached: {sorted(reached)}"


def is_readable_aloud(page: Page) -> None:
    unnamed = page.run("""
        return [...document.querySelectorAll("button, input, select, [role=img], section, nav, table")].filter((e) =>
          !(e.closest("[hidden]") || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.closest("label") || e.textContent.trim()))
          .map((e) => e.outerHTML.slice(0, 120));""")
    assert unnamed == [], unnamed
    assert page.run("return document.documentElement.lang") == "en"
    assert page.run("return document.querySelectorAll('h1').length") == 1
    assert page.run("return document.querySelectorAll('main').length") == 1
    twice = page.run("const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i)")
    assert twice == [], twice


def scrolls_by_keyboard_on_a_phone(page: Page) -> None:
    faults = page.scroll_faults()
    assert faults == [], faults


def changes_its_theme(page: Page) -> None:
    colour = "return getComputedStyle(document.body).backgroundColor"
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    dark = page.run(colour)
    page.click("#theme")
    assert page.text("#theme") == "Theme: light"
    light = page.run(colour)
    assert light != dark
    text = "return echarts.getInstanceByDom(document.getElementById('timeline-chart')).getOption().textStyle.color"
    ink = page.run(text)
    page.click("#theme")
    assert page.run(colour) == dark and page.run(text) != ink, "the chart keeps its ink"


def changes_its_source(page: Page) -> None:
    select = Select(page.find("#source"))
    assert [option.text for option in select.options] == ["cam: 1,300 results", "door: 50 results"]
    before = page.text("#headline")
    select.select_by_index(1)
    assert page.text("#headline") != before
    assert "50 results" in page.text("#headline"), page.text("#headline")
    assert "door" in page.text("#facts")


def sorts_the_heat_map(page: Page) -> None:
    frequent = page.chart_names("prior-chart")
    assert len(frequent) == 20
    Select(page.find("#prior-order")).select_by_value("name")
    assert page.chart_names("prior-chart") == sorted(frequent, key=str.lower)
    Select(page.find("#prior-order")).select_by_value("likeness")
    alike = page.chart_names("prior-chart")
    assert sorted(alike) == sorted(frequent) and alike != frequent
    Select(page.find("#prior-most")).select_by_value("40")
    assert len(page.chart_names("prior-chart")) == 40
    diagonal = page.run("return echarts.getInstanceByDom(document.getElementById('prior-chart')).getOption().series[0].data.filter(([x, y]) => x === y).map((each) => each[2])")
    assert diagonal == [0] * 40, diagonal
    Select(page.find("#prior-what")).select_by_value("pmi")
    lowest = page.run("return echarts.getInstanceByDom(document.getElementById('prior-chart')).getOption().visualMap[0].min")
    assert lowest < 0
    page.show("#prior-chart")
    ActionChains(page.driver).move_to_element(page.find("#prior-chart")).perform()
    page.until(lambda: "P(k|a)" in page.text("#tooltip"), "the heat map has no tooltip")


def stays_quick(page: Page) -> None:
    assert page.seconds_to_load < 30, f"it took {page.seconds_to_load} s to load"
    assert "of 20,000 results" in page.text("#headline"), page.text("#headline")
    shows_moments_of_change(page)  # single results, though the timeline adds them up
    spent = page.run("""
        const frame = document.getElementById("timeline-frame");
        const before = performance.now();
        for (const key of ["+", "+", "ArrowRight", "ArrowDown", "0", "End", "Home"])
          frame.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        return performance.now() - before;""")
    assert spent < 10000, f"seven keys took {spent} ms"
    page.find("#timeline-search").send_keys("label 99")
    page.until(lambda: all("label 99" in name for name in page.chart_names("timeline-chart")), "the search does not filter")
    assert len(page.all("#changes-table tbody tr")) <= 25


def names_the_broken_line(page: Page) -> None:
    notice = page.text("#notices")
    assert "1 line of the file could not be read and is ignored: " in notice and "broken.jsonl:3: not valid JSON" in notice, notice
    assert "broken.jsonl:3" in page.text("#facts")


def interprets_no_label(page: Page) -> None:
    # The keys go through every part that shows a name.
    for selector in ("#changes-table tr.clickable button", "#zoom-in", "#theme"):
        page.click(selector)
    page.show("#timeline-frame")
    chart = page.find("#timeline-chart")
    for y in (-100, -60, -20):
        ActionChains(page.driver).move_to_element_with_offset(chart, 0, y).perform()
    assert page.run("return window.hurt === undefined"), "a label was run as a script"
    for selector in ("img", "iframe", "b", "i"):
        assert page.all(selector) == [], f"a label became an element: {selector}"
    assert "<img src=x onerror=hurt=1>" in page.text("#changes-table")
    assert "{bold|rich}" in page.text("#changes-table")
    assert "\u2407" in page.text("#changes-table"), "a bell is not made visible"
    assert "\u202e" not in page.text("main")


def fits_small_and_large_screens(page: Page) -> None:
    for width in (360, 768, 1400, 3840):
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        page.until(lambda: page.run("return document.querySelector('#timeline-chart canvas').clientWidth === document.querySelector('#timeline-chart').clientWidth"),
                   f"the chart does not follow to {width}")
        assert page.run("return document.documentElement.scrollWidth") <= width, f"at {width} pixels the page is wider"


def prints(page: Page) -> None:
    paper = page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})
    document = base64.b64decode(paper["data"])
    assert document.startswith(b"%PDF") and len(document) > 30000, len(document)
    pages = document.count(b"/Type /Page\n") or document.count(b"/Type/Page")
    assert pages < 15, f"{pages} pages"
    assert not page.run("return document.documentElement.hasAttribute('data-printing')"), "it stays as printed"


def has_pictures(page: Page) -> None:
    assert len(page.all("#inspector .thumbnail")) == 1
    width, height = page.run("""
        const style = getComputedStyle(document.querySelector("#inspector .thumbnail"));
        const image = new Image();
        image.src = style.backgroundImage.slice(5, -2);
        return image.decode().then(() => [image.naturalWidth, image.naturalHeight]);""")
    assert width >= 192 and height >= 100, (width, height)


def has_no_pictures(page: Page) -> None:
    assert page.all(".thumbnail") == []
    assert "there are no thumbnails" in page.text("#notices").lower(), page.text("#notices")


def says_what_older_files_lack(page: Page) -> None:
    assert "older version" in page.text("#notices") and "older version" in page.text("#headline")
    assert "This file does not contain what plain CLIP" in page.text("#second-look")


def shows_harm_around_it(page: Page) -> None:
    looks = page.text("#second-look")
    assert "person was removed once at 0:00.2, although plain CLIP and the corrected labels both show it" in looks, looks
    assert "couch was added for a single result once at 0:00.4" in looks, looks
    page.click("#second-look li:first-child button")
    page.until(lambda: page.text("#inspector h3") == "At 0:00.2", "it does not lead to its time")


def explains_by_what_was_known_then(page: Page) -> None:
    card = page.text("#moments .moment:first-child")
    assert "multiplied the odds of bus by 2.7." in card, card
    assert "By the end of the stream this had reversed: bus was only " in card, card


def explains_by_the_others(page: Page) -> None:
    card = page.text("#moments .moment:first-child")
    assert "1 of 2 times the most confident label was car" in card, card
    assert "hardly changed the odds of bus, but lowered others." in card, card


def reports_a_missing_anchor(page: Page) -> None:
    here = page.text("#inspector")
    assert "No anchor: no label was confident enough, or the method has no anchors." in here, here
    assert "of the others 1 were corrected" in page.text("#facts"), page.text("#facts")


def works_without_time(page: Page) -> None:
    assert "In this stream the correction changed 1 of 2 results" in page.text("#headline"), page.text("#headline")
    assert page.text("#inspector h3").startswith("At result "), page.text("#inspector h3")


if __name__ == "__main__":
    run_check(globals())

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Opens a page that gst-bcp eval wrote in headless Chromium, and checks one thing or several about it.

    eval_page.py CHECK[,CHECK...] PAGE [EVALUATION.json]

Every check also fails on an error in the console and on a request that leaves the file.
"""

from __future__ import annotations

import base64
import json
import statistics

from browser import Page, run_check
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

GROUPS = ("last_half", "non_iid", "label_count", "frequency", "anchor_hit")
SWEEPS = ("anchor_confidence", "anchors", "warm_up")


def evaluation(path: str) -> dict:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def follows_axe(page: Page) -> None:
    page.has_no_axe_fault()


def series(page: Page, chart: str) -> dict[str, list]:
    """What a chart draws: for each series its data."""
    return page.run("""
        const chart = echarts.getInstanceByDom(document.getElementById(arguments[0]));
        return Object.fromEntries(chart.getOption().series.map((each) => [each.id, each.data.map((point) => point?.value ?? point)]));""", chart)


def rank_by(page: Page, ranking: str) -> None:
    page.show("#ranking")
    page.find(f"#ranking input[value={ranking}]").click()


def same(drawn: list, expected: list) -> bool:
    return len(drawn) == len(expected) and all(a == b or (a is not None and b is not None and abs(a - b) < 1e-9) for a, b in zip(drawn, expected))


def reports_gain_and_loss(page: Page, path: str) -> None:
    data = evaluation(path)
    headline = page.text("#headline")
    for ranking in ("logits", "softmax"):
        before, after = data["zero_shot"][ranking], data["bcp"][ranking]
        assert f"{'gains' if after > before else 'loses'} {abs(after - before):.2f} mAP" in headline, headline
        assert f"({before:.2f} to {after:.2f})" in headline, headline
    lost = [row["label"] for row in data["per_class"] if row["bcp"]["softmax"] < row["zero_shot"]["softmax"] - 0.005]
    assert lost, "the check needs a label that loses"
    costs = page.text("#costs")
    worst = min(data["per_class"], key=lambda row: row["bcp"]["softmax"] - row["zero_shot"]["softmax"])
    assert f"most of all {worst['label']}" in costs, costs


def lists_the_methods(page: Page, path: str) -> None:
    data = evaluation(path)
    for method in data["settings"]["methods"]:
        cells = [cell.text for cell in page.all(f"#methods-table tr[data-method={method['key']}] td")]
        scores = data[method["key"]]
        assert cells[0] == f"{scores['logits']:.2f}" and cells[2] == f"{scores['softmax']:.2f}", cells
        assert method["title"][1:] in page.text(f"#methods-table tr[data-method={method['key']}] th")


def draws_the_numbers(page: Page, path: str) -> None:
    data = evaluation(path)
    protocols = data["protocols"]
    for ranking in ("logits", "softmax"):
        rank_by(page, ranking)
        for key in GROUPS:
            drawn = series(page, f"{key}-chart")
            for method in ("zero_shot", "bcp", "bcp_video"):
                assert same(drawn[method], [row[method][ranking] for row in protocols[key]]), (key, ranking, drawn)
        for key in SWEEPS:
            drawn = series(page, f"{key}-chart")
            assert same([y for _, y in drawn["bcp"]], [row["bcp"][ranking] for row in protocols[key]]), (key, ranking, drawn)
            assert {y for _, y in drawn["zero_shot"]} == {data["zero_shot"][ranking]}, drawn["zero_shot"]
        drawn = series(page, "orderings-chart")
        assert same([y for _, y in drawn["bcp"]], [row["bcp"][ranking] for row in protocols["orderings"]])
        mean = statistics.fmean(row["bcp"][ranking] for row in protocols["orderings"] if row["order"] != "file")
        assert all(abs(y - mean) < 1e-9 for _, y in drawn["bcp mean"]), (drawn["bcp mean"], mean)
        gains = sorted((row["bcp"][ranking] - row["zero_shot"][ranking] for row in data["per_class"]), reverse=True)
        assert same(series(page, "labels-chart")["gain"], gains), ranking
    assert [float(x) for x, _ in series(page, "anchor_confidence-chart")["bcp"]] == [0.1, 0.3, 0.5, 0.75, 0.95]


def tabulates_the_video(page: Page, path: str) -> None:
    rows = evaluation(path)["protocols"]["video"]
    shown = page.run("return [...document.querySelectorAll('#video-body tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
    assert len(shown) == len(rows), (shown, rows)
    headings = page.run("return [...document.querySelectorAll('#video-methods thead th')].map((e) => e.textContent)")
    for row, cells in zip(rows, shown):
        assert cells[headings.index("mAP of shots, softmax")] == f"{row['shots']['softmax']:.2f}", (row, cells)
        assert cells[headings.index("flicker per minute")] == f"{row['flicker']:.2f}", (row, cells)


def draws_the_reliability(page: Page, path: str) -> None:
    data = evaluation(path)
    drawn = series(page, "reliability-chart")
    for rule in ("presence", "softmax"):
        bins = [row[rule] for row in data["reliability"] if row[rule]["mean"] is not None]
        assert len(bins) > 5 and same([x for x, _ in drawn[rule]], [each["mean"] for each in bins]), (rule, drawn)
        assert same([y for _, y in drawn[rule]], [each["true"] for each in bins]), (rule, drawn)
    shown = page.run("return [...document.querySelectorAll('#decision-rules tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
    assert [row[1] for row in shown] == [f"{row['micro_f1']:.2f}" for row in data["protocols"]["decision"]], shown
    assert f"{data['few_labels']['softmax']['recall']:.2f}" in page.text("#few-labels tbody")
    assert "decision" not in page.text("#methods-table").lower(), "a protocol is taken for a method"


def explains_the_ceiling(page: Page, path: str) -> None:
    assert "true co-occurrence" in page.text("#ceiling h3") and "Not in the paper" in page.text("#ceiling figcaption")
    true = next(row for row in evaluation(path)["protocols"]["ceiling"] if row["prior"] == "true")
    assert f"{true['bcp']['softmax']:.2f}" in page.text("#ceiling tbody"), page.text("#ceiling tbody")


def draws_the_heat_map(page: Page, path: str) -> None:
    learnt = evaluation(path)["cooccurrence"]
    cells = series(page, "heat-map-chart")["conditional"]
    assert len(cells) == len(learnt["labels"]) ** 2
    assert all(abs(value - learnt["conditional"][row][column]) < 1e-9 for column, row, value in cells)
    Select(page.find("#heat-map-order")).select_by_value("name")
    assert page.chart_names("heat-map-chart") == sorted(learnt["labels"], key=str.lower)
    page.show("#heat-map-chart")
    ActionChains(page.driver).move_to_element(page.find("#heat-map-chart")).perform()
    page.until(lambda: page.find("#tooltip").is_displayed(), "no tooltip")


def colours_gain_and_loss(page: Page) -> None:
    bars = page.run("""
        const chart = echarts.getInstanceByDom(document.getElementById("labels-chart"));
        const style = getComputedStyle(document.documentElement);
        const colour = (name) => style.getPropertyValue(name).trim();
        return chart.getOption().series[0].data.map(({ value, itemStyle }) => [value, itemStyle.color === colour(value < 0 ? "--removed" : "--added")]);""")
    assert any(value < 0 for value, _ in bars) and any(value > 0 for value, _ in bars)
    assert all(is_right for _, is_right in bars), bars


def switches_by_keyboard(page: Page) -> None:
    before = series(page, "labels-chart")["gain"]
    chosen = page.find("#ranking input[value=logits]")
    assert chosen.is_selected()
    page.run("arguments[0].focus()", chosen)
    chosen.send_keys(Keys.ARROW_RIGHT)
    assert page.find("#ranking input[value=softmax]").is_selected()
    assert series(page, "labels-chart")["gain"] != before
    assert "ranked by softmax" in page.text("#labels-words")
    reached = set()
    page.run("document.activeElement.blur()")
    for _ in range(60):
        ActionChains(page.driver).send_keys(Keys.TAB).perform()
        reached.add(page.run("const e = document.activeElement; return e.id || e.name || e.getAttribute('aria-label') || e.textContent.slice(0, 30)"))
    for wanted in ("theme", "ranking", "labels-method", "The numbers", "heat-map-order", "Heat map", "Command"):
        assert wanted in reached, f"{wanted} cannot be reached: {sorted(reached)}"


def is_readable_aloud(page: Page) -> None:
    unnamed = page.run("""
        return [...document.querySelectorAll("button, input, select, [role=img], section, nav, table, fieldset")].filter((e) =>
          !(e.closest("[hidden]") || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.closest("label") || e.textContent.trim()))
          .map((e) => e.outerHTML.slice(0, 120));""")
    assert unnamed == [], unnamed
    twice = page.run("const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i)")
    assert twice == [], twice
    # What is drawn can be read, too.
    assert len(page.all("#protocols-body figure details table")) == len(page.all("#protocols-body .chart"))


def scrolls_by_keyboard_on_a_phone(page: Page) -> None:
    faults = page.scroll_faults()
    assert faults == [], faults


def changes_its_theme(page: Page) -> None:
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    ink = "return echarts.getInstanceByDom(document.getElementById('labels-chart')).getOption().textStyle.color"
    dark = page.run("return getComputedStyle(document.body).backgroundColor"), page.run(ink)
    page.click("#theme")
    light = page.run("return getComputedStyle(document.body).backgroundColor"), page.run(ink)
    assert page.text("#theme") == "Theme: light" and light[0] != dark[0] and light[1] != dark[1], (light, dark)


def fits_small_and_large_screens(page: Page) -> None:
    for width in (360, 768, 1400, 3840):
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        for chart in ("labels-chart", "label_count-chart"):
            page.until(lambda: page.run("const e = document.getElementById(arguments[0]); return e.querySelector('svg').clientWidth === e.clientWidth", chart),
                       f"{chart} does not follow to {width}")
        assert page.run("return document.documentElement.scrollWidth") <= width, f"at {width} pixels the page is wider"


def prints(page: Page) -> None:
    paper = page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})
    document = base64.b64decode(paper["data"])
    assert document.startswith(b"%PDF") and len(document) > 30000, len(document)
    assert not page.run("return document.documentElement.hasAttribute('data-printing')"), "it stays as printed"


def interprets_no_label(page: Page) -> None:
    for chart in ("labels-chart", "heat-map-chart"):
        page.show(f"#{chart}")
        for y in (-60, -20, 20):
            ActionChains(page.driver).move_to_element_with_offset(page.find(f"#{chart}"), 0, y).perform()
    rank_by(page, "softmax")
    assert page.run("return window.hurt === undefined"), "a label was run as a script"
    for selector in ("img", "iframe", "b", "i"):
        assert page.all(selector) == [], f"a label became an element: {selector}"
    names = page.text("#labels")
    assert "<script>hurt=1</script>" in names and "<img src=x onerror=hurt=1>" in names and "{bold|rich}" in names, names
    assert "\u202e" not in page.text("main")


def stays_readable(page: Page) -> None:
    """With a label of 300 letters, and no label that changes."""
    heights = page.run("return [...document.querySelectorAll('table.pairs tbody tr')].map((row) => row.clientHeight)")
    assert heights and max(heights) < 120, heights
    low, high = page.run("""
        const chart = echarts.getInstanceByDom(document.getElementById("labels-chart"));
        return chart.getModel().getComponent("xAxis", 0).axis.scale.getExtent();""")
    assert high - low >= 1, f"from {low} to {high}: the axis shows hundredths"


def shows_no_more_than_there_is(page: Page) -> None:
    for part in ("protocols", "decision", "video", "cooccurrence"):
        assert not page.find(f"#{part}").is_displayed(), part
        assert page.all(f"#parts a[href='#{part}']") == []
    assert "Plain CLIP reaches" in page.text("#headline"), page.text("#headline")


def draws_the_ends_of_many_labels(page: Page) -> None:
    assert len(series(page, "labels-chart")["gain"]) == 50
    page.click("#labels-all")
    assert len(series(page, "labels-chart")["gain"]) == 300
    assert "There are 300 labels: too many" in page.text("#cooccurrence"), page.text("#cooccurrence")


def names_the_command(page: Page) -> None:
    print(page.text("#facts pre"))


if __name__ == "__main__":
    run_check(globals())

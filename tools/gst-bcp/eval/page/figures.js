// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the plots: a colour and a mark for each method, the card around a plot, and its numbers as a table.

const kMarks = ["circle", "diamond", "triangle", "rect", "roundRect", "pin"];

// A colour for each method, the same in all plots: grey is plain CLIP, blue is BCP with the given options.
function colourOf(method) {
  const others = methodsOf(view.data).filter((key) => !["zero_shot", "bcp", "bcp_video", "bcp_paper"].includes(key));
  const style = getComputedStyle(document.documentElement);
  const name =
    { zero_shot: "kept", bcp: "added", bcp_video: "video", bcp_paper: "video" }[method] ??
    `peer-${(Math.max(others.indexOf(method), 0) % 5) + 1}`;
  return style.getPropertyValue(`--${name}`).trim();
}

function markOf(method) {
  return kMarks[Math.max(methodsOf(view.data).indexOf(method), 0) % kMarks.length];
}

function keyOf(method) {
  const key = make("span", { class: "key", "aria-hidden": "true" });
  const paint = () => (key.style.background = colourOf(method));
  view.on("theme", paint);
  paint();
  return key;
}

// A plot in a card. `option(colours, chart)` returns the chart's options; `words({ seriesId, dataIndex, ... })` the tooltip
// of a mark.
function plot(id, size, label, option, words) {
  const element = make("div", { id, class: `chart ${size}`, role: "img", "aria-label": label });
  // Once it is in the page and has a width.
  queueMicrotask(() => {
    const draw = (chart) => chart.setOption(option(palette(), chart), { notMerge: true });
    const chart = makeChart(element, "svg", draw);
    view.on("ranking", () => draw(chart));
    describeUnderPointer(chart, words);
    draw(chart);
  });
  return element;
}

// Columns that are not methods.
const kColumnWords = {
  frames: "mAP of frames",
  shots: "mAP of shots",
  flicker: "flicker per minute",
  flicker_hysteresis: "flicker with hysteresis",
  first_label: "first label, s",
  never_named: "never named, %",
  f1: "F1",
  learnt: "learnt, %",
  micro_f1: "micro F1",
  macro_f1: "macro F1",
  ece: "ECE",
  ece_all: "ECE, all",
  map: "mAP",
  threshold: "from",
  false_alarm: "false alarms, %",
  share: "share, %",
  microseconds: "median, µs",
  p99: "99 % within, µs",
};

function columnName(key) {
  if (methodsOf(view.data).includes(key)) return methodName(key);
  return kColumnWords[key] ?? visible(key.replaceAll("_", " "));
}

// Rows as a table under both rankings: the numbers of a plot, or a table without a plot.
function numbersTable(caption, rows) {
  const columns = new Map(); // title to the getter of a row's value
  for (const row of rows)
    for (const [key, value] of Object.entries(row)) {
      if (isScore(value))
        for (const ranking of kRankings)
          columns.set(`${columnName(key)}, ${ranking}`, (each) => hundredths(score(each, key, ranking)));
      else columns.set(columnName(key), (each) => plainValue(each[key], isWhole(rows, key)));
    }
  const cellOf = (row, value, i) =>
    make(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null }, make("bdi", {}, value(row)));
  return make(
    "div",
    { class: "scroller", tabindex: "0", role: "group", "aria-label": caption },
    make(
      "table",
      { class: "numbers" },
      make("caption", { class: "visually-hidden" }, caption),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          [...columns.keys()].map((title) => make("th", { scope: "col" }, title)),
        ),
      ),
      make(
        "tbody",
        {},
        rows.map((row) =>
          make(
            "tr",
            {},
            [...columns.values()].map((value, i) => cellOf(row, value, i)),
          ),
        ),
      ),
    ),
  );
}

// Whether a column counts something.
function isWhole(rows, key) {
  return rows.every((row) => typeof row[key] !== "number" || Number.isInteger(row[key]));
}

function plainValue(value, isCount) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return isCount ? count(value) : hundredths(value);
  return methodsOf(view.data).includes(value) ? methodName(value) : visible(String(value));
}

function figure(title, words, rows, ...content) {
  return make(
    "figure",
    { class: "card" },
    make("figcaption", {}, make("h3", {}, title), make("p", { class: "hint" }, ...[words].flat())),
    ...content,
    make("details", {}, make("summary", {}, "The numbers"), numbersTable(title, rows)),
  );
}

// Axes and text, the same in all plots.
function scoreAxis(colours, more = {}) {
  return valueAxis(colours, {
    name: "mAP",
    nameLocation: "middle",
    nameRotate: 90,
    nameGap: rem(2.3),
    nameTextStyle: { ...fontOf(colours, 0.72), color: colours.muted },
    axisLine: { show: false, onZero: false },
    axisTick: { show: false },
    axisLabel: {
      ...fontOf(colours, 0.72),
      color: colours.muted,
      formatter: (value) => String(Number(value.toFixed(2))),
    },
    ...more,
  });
}

function valueAxis(colours, more = {}) {
  return {
    type: "value",
    axisLabel: { ...fontOf(colours, 0.72), color: colours.muted },
    splitLine: { lineStyle: { color: colours.line } },
    ...more,
  };
}

function categoryAxis(colours, names, more = {}) {
  return {
    type: "category",
    data: names,
    axisLabel: { ...fontOf(colours, 0.75), lineHeight: rem(1), interval: 0, formatter: (name) => name },
    axisLine: { lineStyle: { color: colours.line } },
    axisTick: { show: false },
    ...more,
  };
}

function legendOf(colours, methods) {
  return {
    data: methods.map(methodName),
    top: 0,
    left: 0,
    itemWidth: rem(1.2),
    itemHeight: rem(0.65),
    textStyle: fontOf(colours, 0.75),
    inactiveColor: colours.line,
  };
}

function plotBase(colours) {
  return { animation: false, backgroundColor: "transparent", textStyle: fontOf(colours, 0.75) };
}

// Round ends and steps for an axis with room around `values`; it shows no less than `least`, so that a difference of a
// hundredth does not fill the plot.
function roomy(values, least) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = Math.max((high - low) * 0.1, (least - (high - low)) / 2);
  const rough = (high - low + 2 * room) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const interval = [1, 2, 5, 10].find((step) => step * power >= rough * 0.999) * power;
  return {
    min: Math.max(0, Math.floor((low - room) / interval) * interval),
    max: Math.ceil((high + room) / interval) * interval,
    interval,
  };
}

function methodWords(row, method, name = rowName(row)) {
  const change = method === "zero_shot" ? null : gain(row, method);
  return [
    make("p", {}, make("strong", {}, methodName(method)), name === "" ? "" : `, ${name}`),
    make(
      "p",
      {},
      `mAP ${hundredths(score(row, method))}`,
      change === null ? "" : `; ${signed(change, 2)} against plain CLIP`,
    ),
    make("p", { class: "hint" }, `ranked by ${view.ranking}`),
  ];
}

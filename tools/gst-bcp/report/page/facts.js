// SPDX-License-Identifier: LGPL-2.1-or-later
// The stream in numbers, its file, and the settings to reproduce the page.

// Sums per time interval: at most `most` points, for any number of steps.
function overTime(stream, most, value) {
  const width = (stream.end - stream.start) / Math.min(Math.ceil(most), stream.length) || 1;
  const sums = new Map();
  for (let step = 0; step < stream.length; ++step) {
    const stretch = Math.floor((stream.steps.time[step] - stream.start) / width);
    sums.set(stretch, value(sums.get(stretch), step));
  }
  return [...sums].map(([stretch, sum]) => [stream.start + (stretch + 0.5) * width, sum, width]);
}

function smallChart(id, title, words, option) {
  const element = make("div", { id, class: "chart small", role: "img", "aria-label": `${title}. ${words}` });
  const figure = make(
    "figure",
    { class: "card" },
    make("figcaption", {}, make("strong", {}, title), make("span", { class: "hint" }, ` ${words}`)),
    element,
  );
  // Once it is in the page and has a width.
  queueMicrotask(() => {
    const chart = makeChart(element, "svg", () => chart.setOption(option(palette()), { notMerge: true }));
    chart.setOption(option(palette()));
  });
  return figure;
}

function lineOption(stream, colours, points, format, max = null) {
  const font = fontOf(colours, 0.72);
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: font,
    grid: { left: rem(3.2), right: rem(1), top: rem(0.6), bottom: rem(1.6) },
    xAxis: {
      type: "value",
      min: stream.start,
      max: stream.end,
      axisLabel: {
        ...font,
        color: colours.muted,
        formatter: (time) => tick(time, stream),
        hideOverlap: true,
        showMaxLabel: false,
      },
      splitLine: { show: false },
      axisLine: { lineStyle: { color: colours.line } },
      axisTick: { show: false },
    },
    yAxis: {
      type: "value",
      min: 0,
      max,
      splitNumber: 3,
      axisLabel: { ...font, color: colours.muted, formatter: format },
      splitLine: { lineStyle: { color: colours.line } },
    },
    series: [
      {
        type: "line",
        data: points,
        showSymbol: points.length === 1,
        lineStyle: { color: colours.added, width: 2 },
        itemStyle: { color: colours.added },
        areaStyle: { color: colours.added, opacity: 0.12 },
        silent: true,
      },
    ],
  };
}

function streamCharts(stream) {
  const { steps } = stream;
  const learnt = overTime(stream, 400, (before, step) => steps.samples[step]);
  // So few points that each combines several steps.
  const most = Math.max(1, Math.min(80, stream.results / 12, stream.length / 4));
  const changed = overTime(stream, most, (before = { changed: 0, results: 0 }, step) => {
    return { changed: before.changed + steps.changed[step], results: before.results + steps.results[step] };
  }).map(([time, sum]) => [time, sum.changed / sum.results]);
  const rate = overTime(stream, most, (before = 0, step) => before + steps.results[step]).map(([time, sum, width]) => [
    time,
    sum / width,
  ]);
  const charts = [
    smallChart("learnt-chart", "Frames learnt from", `${count(Math.round(stream.samples))} at the end.`, (colours) =>
      lineOption(stream, colours, learnt, (value) => count(value)),
    ),
  ];
  if (stream.hasPlain)
    charts.push(
      smallChart(
        "changed-chart",
        "Share of results changed",
        `${percent(stream.changed / stream.results)} overall.`,
        (colours) =>
          lineOption(
            stream,
            colours,
            changed,
            (value) => percent(value),
            (range) => Math.min(1, Math.ceil(range.max * 10) / 10) || 1,
          ),
      ),
    );
  if (stream.axis !== "number")
    charts.push(
      smallChart(
        "rate-chart",
        "Results per second",
        `${decimals(stream.results / stream.watched)} on average.`,
        (colours) => lineOption(stream, colours, rate, (value) => decimals(value)),
      ),
    );
  return make("div", { class: "figures" }, ...charts);
}

function factList(pairs) {
  return make(
    "dl",
    {},
    pairs
      .filter((pair) => pair !== null)
      .flatMap(([term, ...value]) => [make("dt", {}, term), make("dd", {}, ...value)]),
  );
}

function bytes(value) {
  const units = ["bytes", "kB", "MB", "GB"];
  const power = value < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${power === 0 ? value : (value / 1000 ** power).toFixed(1)} ${units[power]}`;
}

const kAxisWords = {
  pts: "stream times",
  clock: "clock times: not every result has a stream time",
  number: "unknown: results are numbered",
};

function streamFacts(stream) {
  const start =
    stream.first_utc === null
      ? null
      : new Date(stream.first_utc * 1000)
          .toISOString()
          .replace("T", " ")
          .replace(/\.\d+Z/, " UTC");
  return factList([
    ["Source", make("bdi", {}, sourceName(stream))],
    ["Results", count(stream.results)],
    stream.axis === "number" ? null : ["Length", lengthOf(stream)],
    ["Times", kAxisWords[stream.axis]],
    start ? ["First result at", start] : null,
    [
      "Decision",
      (stream.isPresence ? "presence" : "softmax") +
        (stream.threshold === null ? "" : `, shown if at least ${percent(stream.threshold)}, unless a label has its own threshold`) +
        (stream.uncalibrated > 0 ? `; ${plural(stream.uncalibrated, "result", "results")} not calibrated` : ""),
    ],
    stream.explained > 0
      ? [
          "Context",
          `a context word matches best in ${percent(stream.explained / stream.results)} of results, most often `,
          contextNode(stream.context),
        ]
      : null,
    stream.isPresence
      ? null
      : [
          "With an anchor",
          `${percent(stream.anchored / stream.results)} of results; ` +
            (stream.unanchored > 0
              ? `of the others ${count(stream.unanchored)} were corrected by a method without anchors`
              : "the others were not corrected"),
        ],
    ["Learnt from", plural(Math.round(stream.samples), "frame", "frames")],
    stream.gaps > 0 ? ["Gaps", `${plural(stream.gaps, "gap or jump", "gaps or jumps")} in time`] : null,
    stream.delay === null
      ? null
      : [
          "Delay",
          `${duration(Math.max(stream.delay, 0))} from the frame that was scored to the one with its result, on average`,
        ],
    stream.stepsAddUp
      ? [
          "Timeline",
          `${count(stream.length)} steps of up to ${count(stream.timeline.most_results)} results; counts stay exact`,
        ]
      : null,
  ]);
}

function fileFacts() {
  const { file, video } = view.data;
  return factList([
    ["File", file.name === "" ? "made for this page and not stored" : make("bdi", {}, visible(file.name))],
    ["Size", `${bytes(file.bytes)}, ${plural(file.lines, "line", "lines")}`],
    ["Results", count(file.results)],
    file.events > 0 ? ["Event lines", `${count(file.events)}, not used here`] : null,
    [
      "Skipped lines",
      file.skipped === 0
        ? "none"
        : make(
            "span",
            {},
            count(file.skipped),
            make(
              "ul",
              {},
              file.faults.map((fault) => make("li", {}, make("code", {}, visible(fault)))),
            ),
          ),
    ],
    video.name === ""
      ? null
      : ["Video", make("bdi", {}, visible(video.name)), video.remark === "" ? "" : `: ${visible(video.remark)}`],
  ]);
}

function settingsBlock() {
  const { settings, command } = view.data;
  const parts = [];
  if (command.length > 0) parts.push(make("p", {}, "Command:"), commandBlock(command));
  if (settings !== null && settingRows(settings).length > 0) parts.push(settingsTable(settings));
  else
    parts.push(
      make(
        "p",
        { class: "hint" },
        "The results do not contain their settings; ",
        make("code", {}, "gst-bcp run --report"),
        " stores them here.",
      ),
    );
  return parts;
}

function drawFacts() {
  const { stream } = view;
  for (const element of byId("facts-body").querySelectorAll(".chart")) echarts.getInstanceByDom(element)?.dispose();
  fill(
    byId("facts-body"),
    streamCharts(stream),
    make(
      "div",
      { class: "columns" },
      make("div", { class: "card" }, make("h3", {}, "Stream"), streamFacts(stream)),
      make("div", { class: "card" }, make("h3", {}, "File"), fileFacts()),
      make("div", { class: "card" }, make("h3", {}, "How to reproduce it"), ...settingsBlock()),
    ),
  );
}

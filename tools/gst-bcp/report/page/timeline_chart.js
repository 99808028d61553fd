// SPDX-License-Identifier: LGPL-2.1-or-later
// How the timeline is drawn: a row for each label, and below them the probability of the chosen one.

// Sizes of the parts, in pixels.
function timelineLayout() {
  const width = byId("timeline-chart").clientWidth;
  const row = rem(1.7);
  const left = Math.min(rem(9), width * 0.28);
  const rows = Math.max(1, timeline.rows.length) * row;
  const isNarrow = width < rem(34);
  const curveTop = rem(0.5) + rows + rem(isNarrow ? 5 : 3.4);
  const curve = rem(8);
  return {
    width,
    isNarrow,
    left,
    right: rem(1),
    top: rem(0.5),
    rows,
    row,
    curveTop,
    curve,
    height: curveTop + curve + rem(5),
  };
}

function baseOf(middle, size) {
  return Math.round(middle + size.row * 0.14);
}

// The line of a row, from end to end.
function renderLine(colours, size) {
  return (parameters, api) => {
    const { x, width } = parameters.coordSys;
    const y = baseOf(api.coord([0, api.value(0)])[1], size);
    return { type: "rect", shape: { x, y, width, height: 1 }, style: { fill: colours.line } };
  };
}

// Shown blocks are above the line, removed ones below it, so that colour is not needed to distinguish them.
function renderBlock(colours, size) {
  return (parameters, api) => {
    const [row, from, to, kept, added, removed] = [0, 1, 2, 3, 4, 5].map((i) => api.value(i));
    const [x, middle] = api.coord([from, row]);
    const width = Math.max(api.coord([to, row])[0] - x, 1);
    const base = baseOf(middle, size);
    const up = size.row * 0.52;
    const down = size.row * 0.28;
    const clip = parameters.coordSys;
    // A change in one of many results must stay visible: changes are the purpose of the page.
    const addedHeight = added > 0 ? Math.max(up * added, 3) : 0;
    const removedHeight = removed > 0 ? Math.max(down * removed, 3) : 0;
    const block = (y, height, colour) => {
      const shape = echarts.graphic.clipRectByRect({ x, y, width, height }, clip);
      return height > 0 && shape ? { type: "rect", shape, style: { fill: colour } } : null;
    };
    return {
      type: "group",
      children: [
        block(base - up * kept, up * kept, colours.kept),
        block(base - up * kept - addedHeight, addedHeight, colours.added),
        block(base + 1, removedHeight, colours.removed),
      ].filter((shape) => shape !== null),
    };
  };
}

function blockData() {
  const { stream } = view;
  const most = Math.max(200, Math.round(byId("timeline-chart").clientWidth));
  const parts = partition(stream, timeline.from, timeline.to, most);
  return timeline.rows.flatMap((row, i) => rowBlocks(stream, row.label, i, parts));
}

// Round numbers of seconds, minutes or hours, as many as fit.
function tickInterval() {
  const room = Math.max(2, (byId("timeline-chart").clientWidth * 0.75) / rem(6));
  const least = (timeline.to - timeline.from) / room;
  const steps =
    view.stream.axis === "number"
      ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
      : [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
  return steps.find((step) => step >= least) ?? least;
}

// The threshold of labels without their own.
function thresholdLine(stream, colours, font) {
  if (stream.threshold === null) return undefined;
  return {
    silent: true,
    symbol: "none",
    animation: false,
    lineStyle: { color: colours.muted, width: 1, type: [2, 3] },
    label: { ...font, show: true, position: "insideStartTop", color: colours.muted, formatter: "threshold" },
    data: [{ yAxis: stream.threshold }],
  };
}

function timelineOption() {
  const { stream } = view;
  const colours = palette();
  const size = timelineLayout();
  const font = fontOf(colours);
  const xAxis = (index, showsTimes) => ({
    type: "value",
    gridIndex: index,
    min: stream.start,
    max: stream.end,
    interval: tickInterval(),
    axisLabel: {
      ...font,
      show: showsTimes,
      color: colours.muted,
      formatter: (time) => tick(time),
      hideOverlap: true,
      showMinLabel: false,
      showMaxLabel: false,
    },
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: colours.line } },
  });
  const line = (name, data, colour, type) => ({
    name,
    type: "line",
    xAxisIndex: 1,
    yAxisIndex: 1,
    data,
    showSymbol: false,
    silent: true,
    connectNulls: false,
    lineStyle: { color: colour, width: 2, type },
    itemStyle: { color: colour },
    animation: false,
  });
  const curves =
    view.label === null
      ? []
      : [
          stream.hasPlain
            ? line(
                "plain CLIP",
                levels(stream, view.label, (cell) => stream.plainProbability(cell)),
                colours.kept,
                [4, 3],
              )
            : null,
          {
            ...line(
              afterName(stream),
              levels(stream, view.label, (cell) => stream.probability(cell)),
              colours.added,
              "solid",
            ),
            markLine: thresholdLine(stream, colours, font),
          },
        ].filter((series) => series !== null);
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: font,
    grid: [
      { left: size.left, right: size.right, top: size.top, height: size.rows, show: false },
      { left: size.left, right: size.right, top: size.curveTop, height: size.curve, show: false },
    ],
    title: [
      {
        left: 0,
        top: size.curveTop - rem(size.isNarrow ? 3.6 : 2.2),
        textStyle: { ...font, fontWeight: 600 },
        text: view.label === null ? "" : `Probability of ${shortened(nameOf(view.label), 40)}`,
      },
    ],
    legend: {
      top: size.curveTop - rem(2.1),
      right: size.right,
      textStyle: font,
      icon: "rect",
      itemWidth: rem(1.4),
      itemHeight: 3,
      data: curves.map((series) => series.name),
      selectedMode: false,
    },
    xAxis: [xAxis(0, true), xAxis(1, true)],
    yAxis: [
      {
        type: "category",
        inverse: true,
        data: timeline.rows.map((row) => nameOf(row.label)),
        gridIndex: 0,
        axisLabel: {
          ...font,
          interval: 0,
          width: size.left - rem(0.8),
          overflow: "truncate",
          formatter: (name) => name,
          color: (name, i) => (timeline.rows[i]?.label === view.label ? colours.added : colours.text),
        },
        axisLine: { show: false },
        axisTick: { show: false },
        splitLine: { show: false },
      },
      {
        type: "value",
        min: 0,
        max: 1,
        gridIndex: 1,
        interval: 0.5,
        axisLabel: { ...font, color: colours.muted, formatter: (value) => `${value * 100}%` },
        splitLine: { lineStyle: { color: colours.line } },
      },
    ],
    dataZoom: [
      {
        type: "inside",
        xAxisIndex: [0, 1],
        filterMode: "none",
        zoomOnMouseWheel: "ctrl",
        moveOnMouseWheel: false,
        moveOnMouseMove: true,
        startValue: timeline.from,
        endValue: timeline.to,
        minValueSpan: (stream.end - stream.start) / 2000,
      },
      {
        type: "slider",
        xAxisIndex: [0, 1],
        filterMode: "none",
        bottom: rem(0.5),
        height: rem(1.4),
        left: size.left,
        right: size.right,
        showDetail: false,
        showDataShadow: false,
        brushSelect: false,
        startValue: timeline.from,
        endValue: timeline.to,
        borderColor: colours.line,
        textStyle: font,
        fillerColor: "rgba(128, 140, 160, 0.2)",
        handleStyle: { color: colours.card, borderColor: colours.muted },
        moveHandleStyle: { color: colours.muted, opacity: 0.5 },
      },
    ],
    series: [
      {
        id: "lines",
        type: "custom",
        renderItem: renderLine(colours, size),
        data: timeline.rows.map((row, i) => [i]),
        encode: { y: 0 },
        silent: true,
        xAxisIndex: 0,
        yAxisIndex: 0,
        animation: false,
      },
      {
        id: "rows",
        type: "custom",
        renderItem: renderBlock(colours, size),
        data: blockData(),
        encode: { x: [1, 2], y: 0 },
        silent: true,
        xAxisIndex: 0,
        yAxisIndex: 0,
        animation: false,
      },
      ...curves,
    ],
  };
}

function shortened(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

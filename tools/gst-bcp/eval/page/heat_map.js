// SPDX-License-Identifier: LGPL-2.1-or-later
// P(b|a) after the whole stream: how likely label b is in pictures with a, as a heat map and as a list.

const kMostLabels = 200; // more cells would be too small to distinguish

const heatMap = { order: [] };

function heatMapOrder(kind) {
  const { labels } = view.data.cooccurrence;
  const order = [...labels.keys()];
  if (kind === "name") return order.sort((a, b) => visible(labels[a]).localeCompare(visible(labels[b])));
  if (kind === "frequency") {
    const positives = new Map((view.data.per_class ?? []).map((row) => [row.label, row.positives]));
    return order.sort((a, b) => (positives.get(labels[b]) ?? 0) - (positives.get(labels[a]) ?? 0));
  }
  return order;
}

function heatMapOption(colours, chart) {
  const { labels, conditional } = view.data.cooccurrence;
  const { order } = heatMap;
  const element = byId("heat-map-chart");
  const room = element.parentElement.clientWidth;
  const left = Math.min(rem(8.5), room * 0.28);
  const top = rem(7);
  // Cells must be large enough to point at: a large map scrolls instead.
  const least = rem(order.length > 100 ? 0.5 : 0.65);
  element.style.minWidth = `${left + least * order.length + rem(1)}px`;
  const cell = Math.max(least, Math.min(rem(2), (room - left - rem(1)) / order.length));
  const side = cell * order.length;
  element.style.height = `${top + side + rem(3.6)}px`;
  chart.resize();
  const font = fontOf(colours, Math.min(0.78, (0.92 * cell) / rem()));
  const data = order.flatMap((a, row) =>
    order.map((b, column) => [column, row, a === b ? 0 : (conditional[a]?.[b] ?? 0)]),
  );
  // The scale ends at the 99th percentile: otherwise a single strong pair would make all others look equal.
  const sizes = data
    .filter(([column, row]) => column !== row)
    .map(([, , value]) => value)
    .sort((a, b) => a - b);
  const highest = sizes[Math.floor(sizes.length * 0.99)] || sizes[sizes.length - 1] || 1;
  const axis = (isTop) =>
    categoryAxis(
      colours,
      order.map((label) => visible(labels[label])),
      {
        position: isTop ? "top" : "left",
        inverse: !isTop,
        axisLine: { show: false },
        axisLabel: {
          ...font,
          interval: 0,
          rotate: isTop ? 60 : 0,
          width: (isTop ? top : left) - rem(0.8),
          overflow: "truncate",
          formatter: (name) => name,
        },
      },
    );
  return {
    ...plotBase(colours),
    grid: { left, top, width: side, height: side },
    xAxis: axis(true),
    yAxis: axis(false),
    visualMap: {
      min: 0,
      max: highest,
      calculable: false,
      orient: "horizontal",
      left: rem(0.5),
      bottom: 0,
      itemHeight: rem(9),
      itemWidth: rem(0.8),
      precision: 2,
      text: [`≥ ${percent(highest)}`, "0%"],
      textStyle: fontOf(colours),
      inRange: { color: [colours.low, colours.high] },
    },
    series: [
      {
        id: "conditional",
        type: "heatmap",
        data,
        progressive: 0,
        itemStyle: { borderColor: colours.card, borderWidth: order.length > 40 ? 0 : 1 },
        emphasis: { itemStyle: { borderColor: colours.text, borderWidth: 1 } },
      },
    ],
  };
}

function heatMapWords({ value: [column, row] }) {
  const { labels, conditional } = view.data.cooccurrence;
  const [a, b] = [heatMap.order[row], heatMap.order[column]];
  const name = (label) => make("bdi", { class: "name" }, visible(labels[label]));
  if (a === b) return [make("p", {}, name(a))];
  return [
    make("p", {}, name(b), " with ", name(a)),
    make("p", {}, `P(b|a) = ${(conditional[a][b] ?? 0).toFixed(3)}`),
  ];
}

function strongestPairs(most = 15) {
  const { labels, conditional } = view.data.cooccurrence;
  return labels
    .flatMap((_, a) => labels.map((_, b) => ({ a, b, given: a === b ? 0 : (conditional[a]?.[b] ?? 0) })))
    .sort((x, y) => y.given - x.given)
    .slice(0, most)
    .filter(({ given }) => given > 0);
}

function pairsTable() {
  const { labels } = view.data.cooccurrence;
  const cell = (label) => make("bdi", { title: visible(labels[label]) }, visible(labels[label])); // a long one is cut
  return make(
    "table",
    { class: "pairs" },
    make("caption", { class: "visually-hidden" }, "Most likely pairs of labels"),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        ["With (a)", "Label (b)", "P(b|a)"].map((title) => make("th", { scope: "col" }, title)),
      ),
    ),
    make(
      "tbody",
      {},
      strongestPairs().map(({ a, b, given }) =>
        make("tr", {}, make("td", {}, cell(a)), make("td", {}, cell(b)), make("td", {}, given.toFixed(3))),
      ),
    ),
  );
}

function drawHeatMap() {
  const labels = view.data.cooccurrence?.labels ?? [];
  const known = Math.max(labels.length, view.data.settings.labels ?? 0);
  byId("cooccurrence").hidden = labels.length < 2 && known <= kMostLabels;
  if (labels.length < 2 || labels.length > kMostLabels) {
    fill(
      byId("cooccurrence-body"),
      make(
        "p",
        {},
        `There are ${count(known)} labels: too many for a readable map. Up to ${kMostLabels} are drawn.`,
      ),
    );
    return;
  }
  heatMap.order = heatMapOrder("file");
  const choose = (event) => {
    heatMap.order = heatMapOrder(event.target.value);
    view.emit("ranking");
  };
  const option = (value, text) => make("option", { value }, text);
  fill(
    byId("cooccurrence-body"),
    make(
      "p",
      {},
      "Each row is a label a, each column a label b: a stronger colour means that b is more likely when a is the most confident label. It is learnt from CLIP's own probabilities, without the ground truth; the diagonal is omitted.",
    ),
    make(
      "div",
      { class: "toolbar" },
      make(
        "label",
        {},
        "Sort by ",
        make(
          "select",
          { id: "heat-map-order", onchange: choose },
          option("file", "the order of the labels"),
          option("frequency", "frequency"),
          option("name", "name"),
        ),
      ),
    ),
    make(
      "div",
      { class: "plot-and-list" },
      make(
        "div",
        { class: "card" },
        make(
          "div",
          { class: "scroller", tabindex: "0", role: "region", "aria-label": "Heat map" },
          plot(
            "heat-map-chart",
            "",
            `Heat map of ${labels.length} by ${labels.length} labels: how likely each label is with each other. The list shows the strongest pairs.`,
            heatMapOption,
            heatMapWords,
          ),
        ),
      ),
      make("div", { class: "card" }, make("h3", {}, "Most likely pairs"), pairsTable()),
    ),
  );
}

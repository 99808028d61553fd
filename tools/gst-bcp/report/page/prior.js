// SPDX-License-Identifier: LGPL-2.1-or-later
// What was learnt: P(k|a), how likely label k is in a frame whose most confident label is a, as a heat map and as a list.

const prior = { chart: null, extra: [], sort: null, isUp: false };

function priorNumbers(a, k) {
  const { conditional, frequency, names, samples } = view.data.prior;
  const given = conditional[a * names.length + k];
  return {
    given,
    alone: frequency[k],
    pmi: a === k || given <= 0 ? null : Math.log(given / frequency[k]),
    support: frequency[a] * samples,
  };
}

// The labels to draw, in the chosen order.
function priorLabels() {
  const { names, likeness } = view.data.prior;
  const most = Number(byId("prior-most").value);
  const chosen = new Set([...Array(Math.min(most, names.length)).keys(), ...prior.extra]);
  const orders = {
    frequency: () => [...names.keys()],
    name: () => [...names.keys()].sort((a, b) => visible(names[a]).localeCompare(visible(names[b]))),
    likeness: () => likeness,
  };
  return orders[byId("prior-order").value]().filter((label) => chosen.has(label));
}

function drawPrior() {
  const { names } = view.data.prior;
  const labels = priorLabels();
  const colours = palette();
  const element = byId("prior-chart");
  const left = Math.min(rem(8.5), element.clientWidth * 0.26);
  const cell = Math.max(rem(0.55), Math.min(rem(1.9), (element.clientWidth - left - rem(1)) / labels.length));
  const font = fontOf(colours, Math.min(0.8, (0.9 * cell) / rem()));
  const side = cell * labels.length;
  const top = rem(7.5);
  element.style.height = `${top + side + rem(4.5)}px`;
  prior.chart.resize({ height: top + side + rem(4.5) });
  const isPmi = byId("prior-what").value === "pmi";
  const data = labels.flatMap((a, row) =>
    labels.map((k, column) => {
      const numbers = priorNumbers(a, k);
      const value = isPmi ? (numbers.pmi ?? 0) : a === k ? 0 : numbers.given;
      return [column, row, value];
    }),
  );
  // The scale ends at the 99th percentile: otherwise a single strong pair would make all others look equal.
  const sizes = data
    .filter(([column, row]) => column !== row)
    .map(([, , value]) => Math.abs(value))
    .sort((a, b) => a - b);
  const highest = sizes[Math.floor(sizes.length * 0.99)] || sizes[sizes.length - 1] || 1;
  const axis = (isTop) => ({
    type: "category",
    data: labels.map((label) => visible(names[label])),
    position: isTop ? "top" : "left",
    inverse: !isTop,
    axisLabel: {
      ...font,
      interval: 0,
      rotate: isTop ? 60 : 0,
      width: (isTop ? top : left) - rem(0.8),
      overflow: "truncate",
      formatter: (name) => name,
    },
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: false },
  });
  prior.labels = labels;
  prior.chart.setOption(
    {
      animation: false,
      backgroundColor: "transparent",
      textStyle: font,
      grid: { left, top, width: side, height: side },
      xAxis: axis(true),
      yAxis: axis(false),
      visualMap: {
        min: isPmi ? -highest : 0,
        max: highest,
        calculable: false,
        orient: "horizontal",
        left: rem(0.5),
        bottom: rem(0.5),
        itemHeight: rem(9),
        itemWidth: rem(0.8),
        precision: 2,
        text: isPmi ? ["more likely with the anchor", "less likely"] : [`≥ ${percent(highest)}`, "0%"],
        textStyle: fontOf(colours),
        inRange: { color: isPmi ? [colours.removed, colours.low, colours.added] : [colours.low, colours.high] },
      },
      series: [
        {
          type: "heatmap",
          data,
          progressive: 0,
          itemStyle: { borderColor: colours.card, borderWidth: labels.length > 40 ? 0 : 1 },
          emphasis: { itemStyle: { borderColor: colours.text, borderWidth: 1 } },
        },
      ],
    },
    { notMerge: true },
  );
  element.setAttribute(
    "aria-label",
    `Heat map of ${labels.length} by ${labels.length} labels: how likely each label is with each other. ` +
      "The list shows the strongest pairs.",
  );
}

function priorWords(a, k) {
  const { names } = view.data.prior;
  const { given, alone, pmi, support } = priorNumbers(a, k);
  const anchor = make("bdi", { class: "name" }, visible(names[a]));
  const other = make("bdi", { class: "name" }, visible(names[k]));
  if (a === k)
    return [make("p", {}, make("strong", {}, other)), make("p", {}, `in ${percent(alone)} of frames`)];
  return [
    make("p", {}, make("strong", {}, other), " with ", make("strong", {}, anchor)),
    make("p", {}, `P(k|a) ${percent(given)}; P(k) ${percent(alone)}; PMI ${signed(pmi, 2)}`),
    make(
      "p",
      { class: "hint" },
      pmi === null ? "never seen together" : `${decimals(Math.exp(pmi))} times as likely as without; `,
      `the anchor has a weight of ${decimals(support)} of ${count(Math.round(view.data.prior.samples))} frames`,
    ),
  ];
}

const kPairColumns = [
  { key: "anchor", title: "With (a)", of: (pair) => visible(view.data.prior.names[pair.a]) },
  { key: "name", title: "Label (k)", of: (pair) => visible(view.data.prior.names[pair.k]) },
  { key: "given", title: "P(k|a)", of: (pair) => pair.given, show: (pair) => percent(pair.given) },
  { key: "alone", title: "P(k)", of: (pair) => pair.alone, show: (pair) => percent(pair.alone) },
  { key: "pmi", title: "PMI", of: (pair) => pair.pmi, show: (pair) => signed(pair.pmi, 2) },
];

// The pairs that were seen most above chance, weighted by counts, so that one frame does not top the list. A pair is
// equally strong in both directions; it is listed in the more likely direction.
function strongestPairs() {
  const { names, frequency, samples } = view.data.prior;
  const pairs = [];
  for (let a = 0; a < names.length; ++a)
    for (let k = 0; k < names.length; ++k) {
      const isLikelier = frequency[a] < frequency[k] || (frequency[a] === frequency[k] && a < k);
      const numbers = a !== k && isLikelier ? priorNumbers(a, k) : null;
      if (numbers?.pmi > 0)
        pairs.push({ a, k, ...numbers, weight: numbers.given * frequency[a] * samples * numbers.pmi });
    }
  return pairs.sort((x, y) => y.weight - x.weight).slice(0, 20);
}

// Strongest first, until a heading is clicked.
function sortedPairs() {
  const pairs = strongestPairs();
  if (prior.sort === null) return pairs;
  const { of } = kPairColumns.find((column) => column.key === prior.sort);
  const compare = (x, y) => (typeof of(x) === "string" ? of(x).localeCompare(of(y)) : of(x) - of(y));
  return pairs.sort((x, y) => (prior.isUp ? compare(x, y) : compare(y, x)));
}

function drawPairs(focus = null) {
  const pairs = sortedPairs();
  const place = byId("prior-pairs");
  fill(
    place,
    make(
      "table",
      { class: "pairs" },
      make("caption", { class: "visually-hidden" }, "Strongest pairs of labels"),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          kPairColumns.map((column) => sortHeading(column, prior, drawPairs)),
        ),
      ),
      make(
        "tbody",
        {},
        pairs.map((pair) =>
          make(
            "tr",
            {},
            kPairColumns.map((column) =>
              make("td", {}, column.show ? column.show(pair) : make("bdi", {}, column.of(pair))),
            ),
          ),
        ),
      ),
    ),
  );
  if (focus) place.querySelector(`[data-key="${focus}"]`)?.focus();
}

function addPriorLabel(text) {
  const wanted = text.trim().toLowerCase();
  const found = view.data.prior.names.findIndex((name) => visible(name).toLowerCase() === wanted);
  if (found < 0) return false;
  prior.extra.push(found);
  drawPrior();
  return true;
}

function priorControls() {
  const { names } = view.data.prior;
  const option = (value, text) => make("option", { value }, text);
  const sizes = [20, 40, 60].filter((size, i) => i === 0 || names.length > [20, 40, 60][i - 1]);
  const search = make("input", {
    type: "search",
    id: "prior-search",
    list: "prior-names",
    autocomplete: "off",
    onchange: (event) => {
      if (addPriorLabel(event.target.value)) event.target.value = "";
    },
  });
  return make(
    "div",
    { class: "toolbar" },
    make(
      "label",
      {},
      "Show ",
      make(
        "select",
        { id: "prior-what", onchange: drawPrior },
        option("given", "P(k|a)"),
        option("pmi", "PMI: compared with chance"),
      ),
    ),
    make(
      "label",
      {},
      "Sort by ",
      make(
        "select",
        { id: "prior-order", onchange: drawPrior },
        option("frequency", "frequency"),
        option("likeness", "similarity"),
        option("name", "name"),
      ),
    ),
    make(
      "label",
      {},
      "Labels ",
      make(
        "select",
        { id: "prior-most", onchange: drawPrior },
        sizes.map((size) => option(size, `${Math.min(size, names.length)} most frequent`)),
      ),
    ),
    names.length > 20 ? make("label", {}, "Add a label ", search) : null,
    make(
      "datalist",
      { id: "prior-names" },
      names.map((name) => make("option", { value: visible(name) })),
    ),
  );
}

function watchPrior() {
  const body = byId("prior-body");
  if (!view.data.prior) {
    fill(
      body,
      make(
        "p",
        {},
        "The page was made without a prior file. Give ",
        make("code", {}, "bcptagger"),
        " a ",
        make("code", {}, "prior-file"),
        ", and its file to ",
        make("code", {}, "gst-bcp report --prior"),
        ", to see it here.",
      ),
    );
    return;
  }
  const { labels, names, samples } = view.data.prior;
  fill(
    body,
    make(
      "p",
      {},
      "Each row is an anchor a, the most confident label of a frame; each column a label k. ",
      "A stronger colour means that k is more likely when a is present. ",
      `Learnt from ${plural(Math.round(samples), "frame", "frames")}; the diagonal is omitted. `,
      names.length < labels ? `Of ${count(labels)} labels, the ${names.length} most relevant are in this page.` : "",
    ),
    priorControls(),
    make(
      "div",
      { class: "map" },
      make("div", { class: "card" }, make("div", { id: "prior-chart", class: "chart", role: "img" })),
      make(
        "div",
        { class: "card" },
        make("h3", {}, "Strongest pairs"),
        make("div", {
          id: "prior-pairs",
          class: "scroller",
          tabindex: "0",
          role: "region",
          "aria-label": "Strongest pairs",
        }),
      ),
    ),
  );
  prior.chart = makeChart(byId("prior-chart"), "svg", () => drawPrior());
  describeUnderPointer(prior.chart, ({ value: [column, row] }) => priorWords(prior.labels[row], prior.labels[column]));
  drawPrior();
  drawPairs();
}

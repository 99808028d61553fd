// SPDX-License-Identifier: LGPL-2.1-or-later
// The labels that are shown: rules compared, their reliability, and three requested labels.

const kRules = {
  presence: "Presence",
  presence_035: "Presence, from 0.35",
  softmax: "Plain CLIP, from 0.2",
  bcp: "BCP, from 0.2",
  arg_max: "The most likely label",
  best_threshold: "Best single threshold",
  oracle: "Best threshold for each label",
};

// Rows of a detail table; empty if it is missing.
function detail(key) {
  return Array.isArray(view.data[key]) ? view.data[key] : [];
}

function ruleRows(key) {
  return protocol(key).map((row) => ({ ...row, rule: kRules[row.rule] ?? row.rule }));
}

function reliabilityOption(colours, rows) {
  const diagonal = {
    id: "calibrated",
    name: "Calibrated",
    type: "line",
    data: [
      [0, 0],
      [100, 100],
    ],
    showSymbol: false,
    silent: true,
    lineStyle: { color: colours.muted, width: 1, type: "dashed" },
    itemStyle: { color: colours.muted },
  };
  const line = (rule, method, mark) => ({
    id: rule,
    name: kRules[rule],
    type: "line",
    data: rows
      .filter((row) => typeof row[rule]?.mean === "number")
      .map((row) => ({ value: [row[rule].mean, row[rule].true], row })),
    symbol: mark,
    symbolSize: rem(0.6),
    itemStyle: { color: colourOf(method) },
    lineStyle: { color: colourOf(method), width: 2 },
  });
  const axis = (name, gap) =>
    valueAxis(colours, {
      min: 0,
      max: 100,
      name,
      nameLocation: "middle",
      nameGap: rem(gap),
      nameTextStyle: fontOf(colours, 0.75),
    });
  return {
    ...plotBase(colours),
    grid: { left: rem(3.6), right: rem(1), top: rem(2.6), bottom: rem(3) },
    legend: {
      ...legendOf(colours, []),
      data: [kRules.presence, kRules.softmax, "Calibrated"],
    },
    xAxis: axis("mean probability, %", 1.7),
    yAxis: axis("labels that are present, %", 2.3),
    series: [diagonal, line("presence", "bcp", "circle"), line("softmax", "zero_shot", "diamond")],
  };
}

function reliabilityWords(rows, { seriesId, dataIndex }) {
  const row = rows.filter((each) => typeof each[seriesId]?.mean === "number")[dataIndex];
  if (row === undefined) return [];
  const { mean, true: present, pairs } = row[seriesId];
  return [
    make("p", {}, make("strong", {}, kRules[seriesId]), `, probability ${row.bin}`),
    make("p", {}, `${mean.toFixed(1)} % on average, and ${present.toFixed(1)} % are present`),
    make("p", { class: "hint" }, plural(pairs, "pair of picture and label", "pairs of picture and label")),
  ];
}

// The bins as rows of plain numbers.
function reliabilityRows(rows) {
  return rows.map((row) => ({
    probability: row.bin,
    "presence, pairs": row.presence.pairs,
    "presence, mean %": row.presence.mean,
    "presence, present %": row.presence.true,
    "plain CLIP, pairs": row.softmax.pairs,
    "plain CLIP, mean %": row.softmax.mean,
    "plain CLIP, present %": row.softmax.true,
  }));
}

function decisionFigure() {
  const rows = ruleRows("decision");
  if (rows.length === 0) return null;
  return make(
    "figure",
    { class: "card", id: "decision-rules" },
    make(
      "figcaption",
      {},
      make("h3", {}, "Rules"),
      make(
        "p",
        { class: "hint" },
        "F1, precision and recall of the shown labels, in per cent; shown and true labels per picture. ECE: the calibration error of probabilities of 0.1 or more. The best thresholds were found on these pictures: they are upper limits, not rules to use.",
      ),
    ),
    numbersTable("Rules", rows),
  );
}

function reliabilityFigure() {
  const rows = detail("reliability");
  if (rows.length === 0) return null;
  return figure(
    "Reliability",
    "Of all labels with a probability of 70 %, 70 % should be present. Points above the dashed line: labels are present more often than their probability says.",
    reliabilityRows(rows),
    plot(
      "reliability-chart",
      "middle",
      "Reliability: the share of labels that are present, by their probability, for presence and plain CLIP. The numbers are in the table below.",
      (colours) => reliabilityOption(colours, rows),
      (mark) => reliabilityWords(rows, mark),
    ),
  );
}

function fewLabelsFigure() {
  const rows = ruleRows("few_labels");
  if (rows.length === 0) return null;
  return make(
    "figure",
    { class: "card", id: "few-labels" },
    make(
      "figcaption",
      {},
      make("h3", {}, "Three requested labels"),
      make(
        "p",
        { class: "hint" },
        "False alarm: a picture with none of the three labels shows one. In per cent, over 200 random triples.",
      ),
    ),
    numbersTable("Three requested labels", rows),
  );
}

function drawDecision() {
  const rules = decisionFigure();
  const figures = [reliabilityFigure(), fewLabelsFigure()].filter((each) => each !== null);
  byId("decision").hidden = rules === null && figures.length === 0;
  fill(byId("decision-body"), rules, make("div", { class: "figures" }, ...figures));
}

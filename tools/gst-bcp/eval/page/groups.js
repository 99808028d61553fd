// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of the stream or of the labels, scored separately: bars in groups, a colour for each method.

// "1-2", and below it the count. If space is short, number and noun are on two lines.
function groupName(row, isNarrow = false) {
  const parts = [];
  if (typeof row.samples === "number") parts.push(plural(row.samples, "picture", "pictures"));
  if (typeof row.labels === "number") parts.push(plural(row.labels, "label", "labels"));
  if (typeof row.share === "number") parts.push(`${row.share.toFixed(1)} %`);
  return [rowName(row), ...parts.map((part) => (isNarrow ? part.replace(" ", "\n") : part))].join("\n");
}

function groupsOption(colours, chart, rows) {
  const methods = methodsOfAll(rows);
  const pitch = ((chart.getWidth() - rem(4)) * 0.78) / (methods.length * rows.length); // of bars
  const names = rows.map((row) => groupName(row, chart.getWidth() / rows.length < rem(7)));
  const lines = Math.max(...names.map((name) => name.split("\n").length));
  return {
    ...plotBase(colours),
    grid: {
      left: rem(3.4),
      right: rem(0.6),
      top: rem(methods.length > 4 ? 3.8 : 2.6),
      bottom: rem(0.8 + lines),
    },
    legend: legendOf(colours, methods),
    xAxis: categoryAxis(colours, names),
    yAxis: scoreAxis(colours, { min: 0 }),
    series: methods.map((method) => ({
      id: method,
      name: methodName(method),
      type: "bar",
      barGap: "8%",
      barCategoryGap: "22%",
      itemStyle: { color: colourOf(method) },
      label: {
        show: pitch >= rem(1.75),
        position: "top",
        distance: 3,
        ...fontOf(colours, 0.68),
        formatter: ({ value }) => (value === null || value === undefined ? "" : value.toFixed(1)),
      },
      labelLayout: { hideOverlap: true },
      data: rows.map((row) => score(row, method)),
    })),
  };
}

function group(key, title, words) {
  const rows = protocol(key);
  if (rows.length === 0) return null;
  return figure(
    title,
    words,
    rows,
    plot(
      `${key}-chart`,
      "middle",
      `${title}: mAP for ${rows.map(rowName).join(", ")}. The numbers are in the table below.`,
      (colours, chart) => groupsOption(colours, chart, rows),
      ({ seriesId, dataIndex }) => methodWords(rows[dataIndex], seriesId),
    ),
  );
}

function groups() {
  return [
    group("last_half", "Last half", "Scored only on the second half of the stream, after the method has learnt from the first."),
    group(
      "non_iid",
      "Clustered order",
      "Pictures with the same rarest label are clustered by a Dirichlet distribution; a smaller γ means denser clusters. The paper does not publish its construction: this one is ours.",
    ),
    group(
      "label_count",
      "By number of labels in a picture",
      "Co-occurrence can only help in pictures with several labels.",
    ),
    group("frequency", "Head, medium and tail", "Labels sorted by how often they occur, in three parts."),
    group(
      "anchor_hit",
      "Anchor right or wrong",
      "Of pictures with an anchor: is the most confident label really present? If not, the correction is misled.",
    ),
  ];
}

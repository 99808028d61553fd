// SPDX-License-Identifier: LGPL-2.1-or-later
// Sweeps of BCP's settings: mAP over each value, with plain CLIP as a reference line.

// Plain CLIP does not depend on these settings: one figure for all values.
function sweepOption(colours, key, rows, axisName) {
  const methods = methodsOfAll(rows).filter((method) => method !== "zero_shot");
  const names = rows.map(rowName);
  const plain = score(view.data, "zero_shot");
  const isNumeric = names.every((name) => name !== "" && Number.isFinite(Number(name)));
  const x = (i) => (isNumeric ? Number(names[i]) : i);
  const values = [plain, ...rows.flatMap((row) => methods.map((method) => score(row, method)))].filter(
    (value) => value !== null,
  );
  const line = (method, points, more) => ({
    id: method,
    name: methodName(method),
    type: "line",
    data: points,
    symbol: markOf(method),
    symbolSize: rem(0.6),
    itemStyle: { color: colourOf(method) },
    lineStyle: { color: colourOf(method), width: 2 },
    ...more,
  });
  const [first, last] = [x(0), x(rows.length - 1)];
  const margin = isNumeric ? (last - first) * 0.04 : 0;
  return {
    ...plotBase(colours),
    grid: { left: rem(3.6), right: rem(1), top: rem(2.6), bottom: rem(3) },
    legend: legendOf(colours, ["zero_shot", ...methods]),
    xAxis: isNumeric
      ? valueAxis(colours, {
          min: first - margin,
          max: last + margin,
          name: axisName,
          nameLocation: "middle",
          nameGap: rem(1.7),
          nameTextStyle: fontOf(colours, 0.75),
          splitLine: { show: false },
          axisTick: { show: true, customValues: rows.map((row, i) => x(i)) },
          axisLine: { show: true, lineStyle: { color: colours.line } },
          axisLabel: {
            ...fontOf(colours, 0.72),
            customValues: rows.map((row, i) => x(i)),
            formatter: (value) => String(value),
          },
        })
      : categoryAxis(colours, names, {
          name: axisName,
          nameLocation: "middle",
          nameGap: rem(1.7),
          nameTextStyle: fontOf(colours, 0.75),
        }),
    yAxis: scoreAxis(colours, roomy(values, 2)),
    series: [
      ...(plain === null
        ? []
        : [
            line(
              "zero_shot",
              [
                [isNumeric ? first - margin : 0, plain],
                [isNumeric ? last + margin : rows.length - 1, plain],
              ],
              {
                showSymbol: false,
                symbol: "none",
                lineStyle: { color: colourOf("zero_shot"), width: 2, type: "dashed" },
              },
            ),
          ]),
      ...methods.map((method) =>
        line(
          method,
          rows.map((row, i) => [x(i), score(row, method)]),
          {},
        ),
      ),
    ],
  };
}

function sweep(key, title, words, axisName) {
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
      (colours) => sweepOption(colours, key, rows, axisName),
      ({ seriesId, dataIndex }) =>
        seriesId === "zero_shot"
          ? methodWords(view.data, "zero_shot", "")
          : methodWords(rows[dataIndex], seriesId, `${axisName} ${rowName(rows[dataIndex])}`),
    ),
  );
}

function sweeps() {
  const used = view.data.settings["anchor-confidence"];
  return [
    sweep(
      "anchor_confidence",
      "Anchor confidence μ",
      `The confidence of CLIP in its most confident label that is needed to correct the others.${typeof used === "number" ? ` ${used} is used elsewhere on this page.` : ""}`,
      "μ",
    ),
    sweep(
      "anchors",
      "Number of anchors",
      "How many of the most confident labels correct the others, with equal weights.",
      "anchors",
    ),
    sweep("warm_up", "Warm-up", "Whether corrections wait until the statistics are stable.", "warm-up"),
  ];
}

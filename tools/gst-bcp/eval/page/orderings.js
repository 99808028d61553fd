// SPDX-License-Identifier: LGPL-2.1-or-later
// The same pictures in other orders: BCP learns from what it has seen, so the order matters a little.

function spread(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: values.length > 1 ? Math.sqrt(square / (values.length - 1)) : 0 };
}

// The random orders. The order of the files is not random: it is shown, but not part of the mean.
function isDrawn(row) {
  return !["file", "given"].includes(rowName(row));
}

// The rows of the mean.
function drawnRows(rows) {
  const drawn = rows.filter(isDrawn);
  return drawn.length > 0 ? drawn : rows;
}

function orderingsOption(colours, rows, methods) {
  const columns = methods.map((method) => rows.map((row) => score(row, method)).filter((value) => value !== null));
  const means = methods.map((method) => spread(drawnRows(rows).map((row) => score(row, method))));
  const kWidth = 0.5; // of a method's column that its dots take
  return {
    ...plotBase(colours),
    grid: { left: rem(3.8), right: rem(1), top: rem(0.8), bottom: rem(3) },
    xAxis: valueAxis(colours, {
      min: -0.5,
      max: methods.length - 0.5,
      interval: 0.5,
      splitLine: { show: false },
      axisTick: { show: false },
      axisLine: { show: true, lineStyle: { color: colours.line } },
      axisLabel: {
        ...fontOf(colours, 0.75),
        lineHeight: rem(1),
        interval: 0,
        customValues: methods.map((method, i) => i),
        formatter: (i) => {
          const { mean, deviation } = means[i];
          return `${methodName(methods[i])}\n${hundredths(mean)} ± ${hundredths(deviation)}`;
        },
      },
    }),
    yAxis: scoreAxis(colours, roomy(columns.flat(), 0.5)),
    series: methods.flatMap((method, i) => {
      const { mean } = means[i];
      return [
        {
          id: method,
          type: "scatter",
          symbol: markOf(method),
          symbolSize: rem(0.7),
          itemStyle: { color: colourOf(method), opacity: 0.85 },
          data: rows.map((row, j) => ({
            value: [i + (rows.length > 1 ? (j / (rows.length - 1) - 0.5) * kWidth : 0), score(row, method)],
            itemStyle: isDrawn(row)
              ? {}
              : { color: colours.card, borderColor: colourOf(method), borderWidth: 2, opacity: 1 },
          })),
        },
        {
          id: `${method} mean`,
          type: "line",
          silent: true,
          symbol: "none",
          lineStyle: { color: colours.text, width: 2 },
          data: [
            [i - kWidth * 0.7, mean],
            [i + kWidth * 0.7, mean],
          ],
        },
      ];
    }),
  };
}

function orderings() {
  const rows = protocol("orderings");
  const methods = methodsOfAll(rows).filter((method) => method !== "zero_shot");
  if (rows.length === 0 || methods.length === 0) return null;
  const words = make("span", {});
  const update = () =>
    fill(
      words,
      `A mark for each of ${rows.length} orders${rows.every(isDrawn) ? "" : ", hollow for the order of the file"}; the line is the `,
      `mean of ${drawnRows(rows).length}, ± their standard deviation. Plain CLIP does not depend on the order: `,
      `${hundredths(score(view.data, "zero_shot"))}.`,
    );
  view.on("ranking", update);
  update();
  return figure(
    "Orderings",
    words,
    rows,
    plot(
      "orderings-chart",
      "middle",
      `Orderings: mAP of ${methods.map(methodName).join(", ")} in ${rows.length} orders. The numbers are in the table below.`,
      (colours) => orderingsOption(colours, rows, methods),
      ({ seriesId, dataIndex }) => methodWords(rows[dataIndex], seriesId, `order ${rowName(rows[dataIndex])}`),
    ),
  );
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// What each label gains or loses, sorted: bars to the right are gains, to the left losses.

const labelPlot = { method: "bcp" };

function labelRows() {
  return view.data.per_class
    .map((row) => ({ row, change: gain(row, labelPlot.method) }))
    .filter(({ change }) => change !== null)
    .sort((a, b) => b.change - a.change);
}

function labelsOption(colours, chart) {
  const rows = labelRows();
  const element = byId("labels-chart");
  const height = rem(3.2) + rows.length * rem(rows.length > 40 ? 1.05 : 1.35);
  element.style.height = `${height}px`;
  chart.resize();
  const most = Math.max(0.5, ...rows.map(({ change }) => Math.abs(change)));
  return {
    ...plotBase(colours),
    grid: { left: Math.min(rem(9), element.clientWidth * 0.3), right: rem(3.2), top: rem(0.4), bottom: rem(2.6) },
    xAxis: valueAxis(colours, {
      min: ({ min }) => Math.min(0, min - most * 0.12),
      max: ({ max }) => Math.max(0, max + most * 0.02),
      name: "change of AP, points",
      nameLocation: "middle",
      nameGap: rem(1.6),
      nameTextStyle: fontOf(colours, 0.75),
      axisLabel: {
        ...fontOf(colours, 0.72),
        color: colours.muted,
        formatter: (value) => signed(value, Number.isInteger(value) ? 0 : 1),
        showMinLabel: false,
        showMaxLabel: false,
      },
    }),
    yAxis: categoryAxis(
      colours,
      rows.map(({ row }) => visible(row.label)),
      {
        inverse: true,
        axisLabel: {
          ...fontOf(colours, rows.length > 40 ? 0.68 : 0.78),
          interval: 0,
          width: Math.min(rem(8.4), element.clientWidth * 0.28),
          overflow: "truncate",
          formatter: (name) => name,
        },
      },
    ),
    series: [
      {
        id: "gain",
        type: "bar",
        barCategoryGap: "25%",
        data: rows.map(({ change }) => ({
          value: change,
          itemStyle: { color: change < 0 ? colours.removed : colours.added },
          label: { position: change < 0 ? "left" : "right" },
        })),
        label: { show: true, ...fontOf(colours, 0.68), formatter: ({ value }) => signed(value, 2) },
      },
    ],
  };
}

function labelWords({ dataIndex }) {
  const { row, change } = labelRows()[dataIndex];
  return [
    make("p", {}, make("strong", {}, make("bdi", {}, visible(row.label))), `: ${signed(change, 2)}`),
    make(
      "p",
      {},
      `AP ${hundredths(score(row, "zero_shot"))} to ${hundredths(score(row, labelPlot.method))}, ranked by ${view.ranking}`,
    ),
    make("p", { class: "hint" }, `in ${plural(row.positives, "picture", "pictures")}`),
  ];
}

function labelsCaption() {
  const rows = labelRows();
  const gained = rows.filter(({ change }) => isVisible(change) && change > 0).length;
  const lost = rows.filter(({ change }) => isVisible(change) && change < 0).length;
  return (
    `Average precision of ${methodName(labelPlot.method)} against plain CLIP, ranked by ${view.ranking}: ` +
    `${plural(gained, "label gains", "labels gain")}, ${lost} ${lost === 1 ? "loses" : "lose"}.`
  );
}

function drawLabels() {
  const rows = view.data.per_class ?? [];
  byId("labels").hidden = rows.length === 0;
  if (rows.length === 0) return;
  const methods = methodsOfAll(rows).filter((method) => method !== "zero_shot");
  if (!methods.includes(labelPlot.method)) labelPlot.method = methods[0];
  const caption = make("p", { id: "labels-words" });
  const tell = () => fill(caption, labelsCaption());
  view.on("ranking", tell);
  tell();
  const without = (view.data.per_class ?? []).filter((row) => gain(row, labelPlot.method) === null);
  fill(
    byId("labels-body"),
    caption,
    methods.length > 1
      ? make(
          "div",
          { class: "toolbar" },
          make(
            "label",
            {},
            "Method ",
            make(
              "select",
              {
                id: "labels-method",
                onchange: (event) => {
                  labelPlot.method = event.target.value;
                  view.emit("ranking");
                },
              },
              methods.map((method) => make("option", { value: method }, methodName(method))),
            ),
          ),
        )
      : null,
    make(
      "div",
      { class: "card" },
      plot(
        "labels-chart",
        "",
        "Change of average precision, label by label. The numbers are in the table below it.",
        labelsOption,
        labelWords,
      ),
      without.length > 0
        ? make("p", { class: "hint" }, `${plural(without.length, "label has", "labels have")} no positive, and no bar.`)
        : null,
      make("details", {}, make("summary", {}, "The numbers"), numbersTable("Average precision of each label", rows)),
    ),
  );
}

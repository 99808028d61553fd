// SPDX-License-Identifier: LGPL-2.1-or-later
// What each label gains or loses, sorted: bars to the right are gains, to the left losses.

const kReadable = 100; // labels that can be read bar by bar
const kEnds = 25; // of more labels, this many that gain most and that lose most

const labelPlot = { method: null, isWhole: false };

function labelRows() {
  return view.data.per_class
    .map((row) => ({ row, change: gain(row, labelPlot.method) }))
    .filter(({ change }) => change !== null)
    .sort((a, b) => b.change - a.change);
}

// Those that are drawn.
function shownLabelRows() {
  const rows = labelRows();
  const isCut = rows.length > kReadable && !labelPlot.isWhole;
  return isCut ? [...rows.slice(0, kEnds), ...rows.slice(-kEnds)] : rows;
}

function labelsOption(colours, chart) {
  const rows = shownLabelRows();
  const element = byId("labels-chart");
  const height = rem(3.2) + rows.length * rem(rows.length > 40 ? 1.05 : 1.35);
  element.style.height = `${height}px`;
  chart.resize();
  const most = Math.max(0.5, ...rows.map(({ change }) => Math.abs(change)));
  // If almost nothing changes, the axis still spans one point: otherwise hundredths would fill it, labelled "0.0".
  const least = rows.every(({ change }) => Math.abs(change) < 0.5) ? 0.5 : 0;
  return {
    ...plotBase(colours),
    grid: { left: Math.min(rem(9), element.clientWidth * 0.3), right: rem(3.2), top: rem(0.4), bottom: rem(2.6) },
    xAxis: valueAxis(colours, {
      min: ({ min }) => Math.min(least > 0 ? -least : 0, min - most * (element.clientWidth < rem(36) ? 0.22 : 0.1)),
      max: ({ max }) => Math.max(least, max + most * 0.02),
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
  const { row, change } = shownLabelRows()[dataIndex];
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

function labelControls(methods) {
  const redraw = () => view.emit("ranking");
  const choose = (event) => {
    labelPlot.method = event.target.value;
    redraw();
  };
  const showAll = (event) => {
    labelPlot.isWhole = event.target.checked;
    redraw();
  };
  const options = methods.map((method) => make("option", { value: method }, methodName(method)));
  const labels = labelRows().length;
  return make(
    "div",
    { class: "toolbar" },
    methods.length > 1
      ? make("label", {}, "Method ", make("select", { id: "labels-method", onchange: choose }, options))
      : null,
    labels > kReadable
      ? make(
          "label",
          {},
          make("input", { type: "checkbox", id: "labels-all", onchange: showAll }),
          ` all ${count(labels)}, not only the ${kEnds} at each end`,
        )
      : null,
  );
}

function drawLabels() {
  const rows = view.data.per_class ?? [];
  const methods = methodsOfAll(rows).filter((method) => method !== "zero_shot");
  byId("labels").hidden = methods.length === 0;
  if (methods.length === 0) return;
  labelPlot.method = methods.includes(chosenMethod()) ? chosenMethod() : methods[0];
  const caption = make("p", { id: "labels-words" });
  const update = () => fill(caption, labelsCaption());
  view.on("ranking", update);
  update();
  const without = rows.length - labelRows().length;
  fill(
    byId("labels-body"),
    caption,
    labelControls(methods),
    make(
      "div",
      { class: "card" },
      plot(
        "labels-chart",
        "",
        "Change of average precision, label by label. The numbers are in the table below.",
        labelsOption,
        labelWords,
      ),
      without > 0
        ? make("p", { class: "hint" }, `${plural(without, "label has", "labels have")} no positive, so no bar.`)
        : null,
      make("details", {}, make("summary", {}, "The numbers"), numbersTable("Average precision of each label", rows)),
    ),
  );
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// The timeline: which rows and which time range are drawn, and the reader's controls.

const timeline = { chart: null, rows: [], most: 15, from: 0, to: 0 };

const kRowSorts = {
  seconds: (a, b) => Math.max(b.seconds, b.plain_seconds) - Math.max(a.seconds, a.plain_seconds),
  changed: (a, b) => b.added + b.removed - a.added - a.removed,
  name: (a, b) => nameOf(a.label).localeCompare(nameOf(b.label)),
};

function chooseRows() {
  const wanted = byId("timeline-search").value.trim().toLowerCase();
  const found = view.stream.labels.filter((row) => nameOf(row.label).toLowerCase().includes(wanted));
  found.sort(kRowSorts[byId("timeline-sort").value]);
  timeline.rows = found.slice(0, timeline.most);
  // The chosen label always has its row.
  const chosen = found.find((row) => row.label === view.label);
  if (chosen && !timeline.rows.includes(chosen)) timeline.rows.push(chosen);
  const rest = found.length - timeline.rows.length;
  byId("more-rows").hidden = rest <= 0;
  byId("more-rows").textContent = `Show ${Math.min(rest, 15)} more`;
  byId("rows-shown").textContent =
    view.stream.labels.length === 0
      ? "No label is ever shown."
      : found.length === 0
        ? "No label has this name."
        : `${count(timeline.rows.length)} of ${plural(found.length, "label", "labels")}`;
}

function drawTimeline() {
  chooseRows();
  const element = byId("timeline-chart");
  const { height } = timelineLayout();
  element.style.height = `${height}px`;
  timeline.chart.resize({ height });
  timeline.chart.setOption(timelineOption(), { notMerge: true });
  element.setAttribute(
    "aria-label",
    `Timeline of ${plural(timeline.rows.length, "label", "labels")} over ${lengthOf(view.stream)}. ` +
      "The table of changes below has the numbers.",
  );
  placeCursor();
}

// The line at the chosen time.
function placeCursor() {
  const line = byId("cursor-line");
  const time = view.stream.steps.time[view.step];
  line.hidden = time < timeline.from || time > timeline.to;
  if (line.hidden) return;
  const size = timelineLayout();
  const [x] = timeline.chart.convertToPixel({ gridIndex: 0 }, [time, 0]);
  line.style.left = `${x}px`;
  line.style.top = `${size.top}px`;
  line.style.height = `${size.curveTop + size.curve - size.top}px`;
}

function zoomTo(from, to) {
  const { stream } = view;
  const span = Math.min(Math.max(to - from, (stream.end - stream.start) / 2000), stream.end - stream.start);
  const start = Math.min(Math.max(from, stream.start), stream.end - span);
  timeline.chart.dispatchAction({ type: "dataZoom", startValue: start, endValue: start + span });
}

function zoomBy(factor) {
  const time = view.stream.steps.time[view.step];
  const isVisible = time >= timeline.from && time <= timeline.to;
  const centre = isVisible ? time : (timeline.from + timeline.to) / 2;
  zoomTo(centre - (centre - timeline.from) * factor, centre + (timeline.to - centre) * factor);
}

// Only the blocks are rebuilt: the rest follows the zoom automatically.
const redrawBlocks = settled(() => {
  const interval = tickInterval();
  timeline.chart.setOption({ xAxis: [{ interval }, { interval }], series: [{ id: "rows", data: blockData() }] });
}, 30);

function followZoom() {
  const [zoom] = timeline.chart.getOption().dataZoom;
  timeline.from = zoom.startValue;
  timeline.to = zoom.endValue;
  redrawBlocks();
  placeCursor();
}

// The label and the time under the pointer; a label of null is the curve's.
function pointedAt(x, y) {
  const { chart } = timeline;
  for (const gridIndex of [0, 1]) {
    if (!chart.containPixel({ gridIndex }, [x, y])) continue;
    const [time, row] = chart.convertFromPixel({ gridIndex }, [x, y]);
    return {
      step: view.stream.stepAt(time),
      label: gridIndex === 0 ? (timeline.rows[Math.round(row)]?.label ?? null) : view.label,
    };
  }
  return null;
}

function showTooltip(event) {
  const found = pointedAt(event.offsetX, event.offsetY);
  if (found === null || found.label === null) {
    hideTooltip();
    return;
  }
  const { stream } = view;
  const cell = stream.cellAt(found.step, found.label);
  const entry = cell < 0 ? null : stream.entry(cell);
  showTooltipAt(
    event.event,
    thumbnail(stream.steps.pts[found.step]),
    make("p", {}, make("strong", {}, nameNode(found.label)), ` at ${clock(stream.steps.time[found.step])}`),
    entry ? entryTable([entry], stream) : make("p", { class: "hint" }, "Shown by neither."),
    ...(stream.isPresence
      ? [thresholdWords(stream, found.step), contextWords(stream, found.step)]
      : [anchorWords(stream, found.step)]
    ).map((words) => make("p", { class: "hint" }, words)),
  );
}

function moveRow(by) {
  const now = timeline.rows.findIndex((row) => row.label === view.label);
  const next = timeline.rows[Math.max(0, Math.min(timeline.rows.length - 1, now + by))];
  if (next) view.setLabel(next.label);
}

const kTimelineKeys = {
  ArrowLeft: () => view.setStep(view.step - 1),
  ArrowRight: () => view.setStep(view.step + 1),
  PageUp: () => view.setStep(view.step - Math.ceil(view.stream.length / 20)),
  PageDown: () => view.setStep(view.step + Math.ceil(view.stream.length / 20)),
  Home: () => view.setStep(0),
  End: () => view.setStep(view.stream.length - 1),
  ArrowUp: () => moveRow(-1),
  ArrowDown: () => moveRow(1),
  "+": () => zoomBy(0.5),
  "=": () => zoomBy(0.5),
  "-": () => zoomBy(2),
  0: () => zoomTo(view.stream.start, view.stream.end),
};

// If the cursor leaves the visible range, the range follows.
function keepCursorInSight() {
  const time = view.stream.steps.time[view.step];
  const span = timeline.to - timeline.from;
  if (time < timeline.from || time > timeline.to) zoomTo(time - span / 2, time + span / 2);
  placeCursor();
}

function watchTimeline() {
  timeline.chart = makeChart(byId("timeline-chart"), "canvas", () => drawTimeline());
  const { chart } = timeline;
  chart.on("datazoom", followZoom);
  chart.getZr().on("mousemove", showTooltip);
  chart.getZr().on("globalout", hideTooltip);
  addEventListener("scroll", hideTooltip, { passive: true });
  chart.getZr().on("click", (event) => {
    const found = pointedAt(event.offsetX, event.offsetY);
    if (!found) return;
    if (found.label !== null && found.label !== view.label) view.setLabel(found.label);
    view.setStep(found.step);
  });
  byId("timeline-frame").addEventListener("keydown", (event) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? null : kTimelineKeys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  byId("zoom-in").addEventListener("click", () => zoomBy(0.5));
  byId("zoom-out").addEventListener("click", () => zoomBy(2));
  byId("zoom-all").addEventListener("click", () => zoomTo(view.stream.start, view.stream.end));
  byId("timeline-search").addEventListener("input", settled(drawTimeline));
  byId("timeline-sort").addEventListener("change", drawTimeline);
  byId("more-rows").addEventListener("click", () => {
    timeline.most += 15;
    drawTimeline();
  });
  view.on("stream", () => {
    [timeline.from, timeline.to] = [view.stream.start, view.stream.end];
    drawTimeline();
  });
  view.on("label", drawTimeline);
  view.on("step", keepCursorInSight);
}

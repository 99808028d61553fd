// SPDX-License-Identifier: LGPL-2.1-or-later
// The tooltip: describes what is under the pointer.

// `event` is the browser's, for where the pointer is.
function showTooltipAt(event, ...children) {
  const tooltip = byId("tooltip");
  fill(tooltip, ...children);
  tooltip.hidden = false;
  const { clientX, clientY } = event;
  const { width, height } = tooltip.getBoundingClientRect();
  const left = clientX + 16 + width > innerWidth ? clientX - width - 16 : clientX + 16;
  tooltip.style.left = `${Math.max(4, left)}px`;
  tooltip.style.top = `${Math.max(4, Math.min(clientY + 16, innerHeight - height - 4))}px`;
}

function hideTooltip() {
  byId("tooltip").hidden = true;
}

// Tooltips for the marks of a chart: `words(parameters)` returns the text of a mark.
function describeUnderPointer(chart, words) {
  chart.on("mousemove", (parameters) => showTooltipAt(parameters.event.event, ...words(parameters)));
  chart.on("mouseout", hideTooltip);
  chart.getZr().on("globalout", hideTooltip);
}

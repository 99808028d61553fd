// SPDX-License-Identifier: LGPL-2.1-or-later
// What is under the pointer, told beside it.

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

// The marks of a chart tell about themselves: `words(parameters)` gives what to say of one.
function tellUnderPointer(chart, words) {
  chart.on("mousemove", (parameters) => showTooltipAt(parameters.event.event, ...words(parameters)));
  chart.on("mouseout", hideTooltip);
  chart.getZr().on("globalout", hideTooltip);
}

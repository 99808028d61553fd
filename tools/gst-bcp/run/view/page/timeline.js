// SPDX-License-Identifier: LGPL-2.1-or-later
// When each label was shown: a row for each of the labels that were shown most, now at the right edge.

const kRanges = [[300, "5 min"], [3600, "1 h"], [6 * 3600, "6 h"]];
const kMostTracks = 12;
const timelineRange = { seconds: 300 };

function watchRanges() {
  fill(byId("ranges"), kRanges.map(([seconds, name]) => make("button", {
    type: "button", class: "small", "aria-pressed": String(seconds === timelineRange.seconds), "data-seconds": seconds,
    onclick: () => {
      timelineRange.seconds = seconds;
      for (const button of byId("ranges").children) button.setAttribute("aria-pressed", String(Number(button.dataset.seconds) === seconds));
      drawTimeline();
    },
  }, name)));
}

// The spans in the range, by label: those shown longest first.
function tracksOf(camera) {
  const end = clock.now();
  const start = end - timelineRange.seconds;
  const byLabel = new Map();
  for (const span of camera.spans.values()) {
    const until = span.open ? end : span.end;
    if (until < start) continue;
    if (!byLabel.has(span.label)) byLabel.set(span.label, { label: span.label, spans: [], total: 0, last: 0 });
    const track = byLabel.get(span.label);
    track.spans.push({ from: Math.max(span.start, start), until, span });
    track.total += until - Math.max(span.start, start);
  }
  return [...byLabel.values()].sort((a, b) => b.total - a.total).slice(0, kMostTracks);
}

function drawTimeline() {
  const camera = chosenCamera();
  const tracks = camera ? tracksOf(camera) : [];
  const end = clock.now();
  const start = end - timelineRange.seconds;
  byId("tracks").hidden = tracks.length === 0;
  byId("tracks-none").hidden = tracks.length > 0;
  const share = (time) => `${((time - start) / timelineRange.seconds) * 100}%`;
  const rows = tracks.map((track) => {
    const line = make("span", { class: "track", role: "img", "aria-label": `${visible(track.label)}: ${times(track.spans.length)}, ${duration(track.total)} in all` });
    for (const { from, until, span } of track.spans) {
      const piece = make("span", { class: "span", title: `${visible(track.label)}, ${timeOfDay(span.start)}, ${duration(until - span.start)}, up to ${percent(span.peak)}` });
      piece.style.left = share(from);
      piece.style.width = `max(3px, ${((until - from) / timelineRange.seconds) * 100}%)`;
      line.append(piece);
    }
    return make("div", { class: "track-row" }, make("bdi", { class: "name" }, visible(track.label)), line);
  });
  const marks = [0, 0.25, 0.5, 0.75, 1].map((part) => make("span", { class: "hint number" }, timeOfDay(start + part * timelineRange.seconds)));
  fill(byId("tracks"), rows, make("div", { class: "track-row" }, make("span", {}), make("div", { class: "marks", "aria-hidden": "true" }, marks)));
}

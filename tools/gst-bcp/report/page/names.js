// SPDX-License-Identifier: LGPL-2.1-or-later
// Times and names of the stream as people read them.

// A point in time on the axis of the stream: "1:02:03.4".
function clock(time, stream = view.stream) {
  if (stream.axis === "number") return `result ${count(Math.floor(time) + 1)}`;
  const tenths = Math.round(Math.max(time, 0) * 10);
  const hours = Math.floor(tenths / 36000);
  const minutes = Math.floor(tenths / 600) % 60;
  const seconds = Math.floor(tenths / 10) % 60;
  const start = hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}` : String(minutes);
  const end = stream.end - stream.start < 3600 ? `.${tenths % 10}` : "";
  return `${start}:${String(seconds).padStart(2, "0")}${end}`;
}

// Shorter, for the axis.
function tick(time, stream = view.stream) {
  if (stream.axis === "number") return count(Math.floor(time) + 1);
  return clock(time, stream).replace(/\.0$/, "");
}

function lengthOf(stream) {
  return stream.axis === "number" ? plural(stream.results, "result", "results") : duration(stream.end - stream.start);
}

function nameOf(label) {
  return visible(view.data.labels[label]);
}

function sourceName(stream) {
  const name = stream.source === "" ? "unnamed source" : visible(stream.source);
  return stream.regions ? `${name} (regions)` : name;
}

// The name of the method that is compared with plain CLIP.
function afterName(stream = view.stream) {
  return stream.isPresence ? "presence" : "corrected";
}

function contextNode(context) {
  return make("bdi", { class: "name" }, visible(view.data.contexts[context]));
}

// A name in a sentence: an element, so that it keeps its own direction of writing.
function nameNode(label, kind = "") {
  return make("bdi", { class: `name ${kind}`.trim() }, nameOf(label));
}

function perMinute(switches, stream) {
  return stream.watched > 0 ? switches / (stream.watched / 60) : 0;
}

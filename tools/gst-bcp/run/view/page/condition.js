// SPDX-License-Identifier: LGPL-2.1-or-later
// The state of a camera: rates, faults, remarks, recordings.

const condition = { recordings: null, camera: 0, timer: 0 };

function facts(entries) {
  return make("dl", {}, entries.filter(([, value]) => value !== null && value !== undefined && value !== "").flatMap(([name, value]) => [make("dt", {}, name), make("dd", { class: "number" }, value)]));
}

function perSecond(value) {
  return value === null || value === undefined ? null : `${decimals(value)} a second`;
}

function milliseconds(value) {
  return value === null || value === undefined ? null : `${decimals(value)} ms`;
}

async function readRecordings() {
  clearTimeout(condition.timer);
  const camera = chosenCamera();
  condition.camera = chosen.id;
  condition.recordings = null;
  if (camera?.state.records) condition.recordings = await read(`/api/recordings?camera=${chosen.id}`).catch(() => null);
  condition.timer = setTimeout(readRecordings, 10000);
}

function recordingsCard(state) {
  if (!state.records) return null;
  const list = condition.recordings;
  if (!list || list.files.length === 0) return make("div", { class: "card" }, make("h4", {}, "Recordings"), make("p", { class: "hint" }, "The first file is being written."));
  return make("div", { class: "card" }, make("h4", {}, "Recordings"), make("p", {}, `${plural(list.count, "file", "files")}, ${bytesText(list.bytes)}`),
    make("ul", { class: "plain-list" }, list.files.slice(0, 6).map((file) => make("li", {}, make("span", { class: "number" }, timeOfDay(file.start)), ", ",
      duration(file.seconds), ", ", bytesText(file.bytes), file.event ? [", ", make("bdi", {}, visible(file.event))] : null))));
}

function drawCondition() {
  const state = chosenCamera()?.state;
  if (!state) return;
  const rates = state.rates ?? {};
  const scored = rates.scored ?? 0;
  fill(byId("condition-body"),
    make("div", { class: "card" }, make("h4", {}, "Frames"), facts([
      ["State", connectionText(state)],
      ["Since", timeOfDay(state.since)],
      ["Lost so far", state.losses > 0 ? times(state.losses) : "never"],
      ["Video", perSecond(rates["frames-per-second"])],
      ["Labels", perSecond(rates["scored-per-second"])],
      ["Model", milliseconds(rates["inference-p50-ms"])],
      ["Slowest of 100", milliseconds(rates["inference-p99-ms"])],
      ["Age of labels", milliseconds(rates["age-p50-ms"])],
      ["Scored frames", count(scored)],
      ["Skipped, still picture", rates["static-skipped"] > 0 ? count(rates["static-skipped"]) : null],
      ["Faults", rates.faults > 0 ? count(rates.faults) : "none"],
    ])),
    make("div", { class: "card" }, make("h4", {}, "Remarks"), state.remarks.length === 0 ? make("p", { class: "hint" }, "none") :
      make("ul", { class: "plain-list" }, state.remarks.map((remark) => make("li", {}, make("span", { class: "hint number" }, timeOfDay(remark.at)), " ", make("bdi", {}, visible(sentence(remark.text))))))),
    recordingsCard(state));
}

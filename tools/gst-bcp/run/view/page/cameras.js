// SPDX-License-Identifier: LGPL-2.1-or-later
// What is known about the cameras. Drawing code follows changes of the one that is chosen.

const cameras = new Map(); // by id: { state, result, spans: Map by id }
const chosen = { id: 0 };
const kept = { seconds: 6 * 3600 };

const kConnections = { opening: "opening", live: "live", lost: "lost, reconnecting", ended: "ended" };

function chosenCamera() {
  return cameras.get(chosen.id);
}

function cameraOf(id) {
  if (!cameras.has(id)) cameras.set(id, { state: { id, name: "" }, result: null, spans: new Map() });
  return cameras.get(id);
}

function takeState(state) {
  clock.set(state.now);
  kept.seconds = state.kept;
  for (const { spans, result, ...rest } of state.cameras) {
    const camera = cameraOf(rest.id);
    camera.state = rest;
    camera.result = result ?? camera.result;
    camera.spans = new Map(spans.map((span) => [span.id, span]));
  }
}

function takeSpans(camera, spans) {
  for (const span of spans) camera.spans.set(span.id, { ...span, picture: span.picture || camera.spans.get(span.id)?.picture });
  const oldest = clock.now() - kept.seconds;
  for (const [id, span] of camera.spans) {
    if (camera.spans.size <= 2000 && (span.open || span.end > oldest)) break;
    camera.spans.delete(id);
  }
}

function connectionText(state) {
  const text = kConnections[state.connection] ?? state.connection;
  if (state.connection !== "lost") return text;
  return `${text} (${duration(Math.max(0, clock.now() - state.since))})`;
}

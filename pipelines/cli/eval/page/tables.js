// SPDX-License-Identifier: LGPL-2.1-or-later
// Protocols that read best as a table: time, video, and whatever a later version measures.

const kPlotted = [
  "orderings",
  "last_half",
  "non_iid",
  "anchor_confidence",
  "anchors",
  "warm_up",
  "label_count",
  "frequency",
  "anchor_hit",
];

function timeFigure() {
  const rows = protocol("time");
  if (rows.length === 0) return null;
  return make(
    "figure",
    { class: "card" },
    make(
      "figcaption",
      {},
      make("h3", {}, "Time for each picture"),
      make(
        "p",
        { class: "hint" },
        "Microseconds to correct and to learn from one picture, without the encoder, on the machine that ran the evaluation.",
      ),
    ),
    numbersTable("Time for each picture", rows),
  );
}

function otherFigures() {
  return Object.keys(view.data.protocols ?? {})
    .filter(
      (key) => ![...kPlotted, "time", "video"].includes(key) && !key.startsWith("video") && protocol(key).length > 0,
    )
    .map((key) =>
      make(
        "figure",
        { class: "card" },
        make("figcaption", {}, make("h3", {}, visible(key.replaceAll("_", " ")))),
        numbersTable(key, protocol(key)),
      ),
    );
}

function drawVideo() {
  const keys = Object.keys(view.data.protocols ?? {}).filter(
    (key) => key.startsWith("video") && protocol(key).length > 0,
  );
  byId("video").hidden = keys.length === 0;
  fill(
    byId("video-body"),
    keys.map((key) =>
      make(
        "div",
        { class: "card", id: `${key}-table` },
        keys.length > 1 ? make("h3", {}, visible(key.replaceAll("_", " "))) : null,
        numbersTable("As on video", protocol(key)),
      ),
    ),
  );
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Protocols shown as a table: the ceiling, time, video, and unknown ones of later versions.

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

function ceilingFigure() {
  const rows = protocol("ceiling");
  if (rows.length === 0) return null;
  return make(
    "figure",
    { class: "card", id: "ceiling" },
    make(
      "figcaption",
      {},
      make("h3", {}, "With the true co-occurrence"),
      make(
        "p",
        { class: "hint" },
        "True: from the first picture on, BCP has the true frequencies of labels and pairs, from the ground truth. If that gains nothing, an estimate will hardly gain. Not in the paper.",
      ),
    ),
    numbersTable("With the true co-occurrence", rows),
  );
}

function otherFigures() {
  return Object.keys(view.data.protocols ?? {})
    .filter((key) => ![...kPlotted, "ceiling", "time", "decision", "few_labels", "video"].includes(key) && protocol(key).length > 0)
    .map((key) =>
      make(
        "figure",
        { class: "card" },
        make("figcaption", {}, make("h3", {}, visible(key.replaceAll("_", " ")))),
        numbersTable(key, protocol(key)),
      ),
    );
}

// The methods, and separately the effect of each setting of the presets.
function drawVideo() {
  const rows = protocol("video");
  const isMethod = (row) => methodsOf(view.data).includes(row.method) || row.method.startsWith("presence");
  const others = rows.filter((row) => !isMethod(row));
  byId("video").hidden = rows.length === 0;
  fill(
    byId("video-body"),
    make("div", { class: "card", id: "video-methods" }, numbersTable("As on video", rows.filter(isMethod))),
    others.length === 0
      ? null
      : make(
          "div",
          { class: "card", id: "video-settings" },
          make("h3", {}, "What each setting does"),
          make("p", { class: "hint" }, "The preset paper with one setting of video, and the preset video without one."),
          numbersTable("What each setting does", others),
        ),
  );
}

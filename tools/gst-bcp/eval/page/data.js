// SPDX-License-Identifier: LGPL-2.1-or-later
// Access to the evaluation in the page. `gst-bcp eval --json` writes the same data.

const kRankings = ["logits", "softmax"];

// The current selection; drawing code listens for its changes.
const view = {
  ...makeEvents("ranking", "theme"),
  data: null,
  ranking: "logits",
  setRanking(ranking) {
    this.ranking = ranking;
    this.emit("ranking");
  },
};

// A number, or null, by each ranking. A rule of a decision may also have the name softmax, but is an object.
function isScore(value) {
  if (value === null || typeof value !== "object") return false;
  return kRankings.some((ranking) => ranking in value && (value[ranking] === null || typeof value[ranking] !== "object"));
}

// The methods with scores in `row`, plain CLIP first.
function methodsOf(row) {
  const keys = Object.keys(row).filter((key) => isScore(row[key]));
  return keys.sort((a, b) => (b === "zero_shot") - (a === "zero_shot"));
}

// The main method of the page: BCP with the given options, or the first other method; null for none.
function chosenMethod() {
  const others = methodsOf(view.data).filter((method) => method !== "zero_shot");
  return others.includes("bcp") ? "bcp" : (others[0] ?? null);
}

function methodsOfAll(rows) {
  return [...new Set(rows.flatMap(methodsOf))].sort((a, b) => (b === "zero_shot") - (a === "zero_shot"));
}

// The name of a method: "Plain CLIP", "BCP (paper)".
function methodName(key) {
  const title = view.data.settings.methods?.find((method) => method.key === key)?.title;
  if (typeof title === "string" && title !== "") return visible(title[0].toUpperCase() + title.slice(1));
  return (
    { zero_shot: "Plain CLIP", bcp_video: "BCP (video)", bcp_paper: "BCP (paper)" }[key] ?? visible(key).toUpperCase()
  );
}

// A number of a method in a row; null if missing.
function score(row, method, ranking = view.ranking) {
  const value = row[method]?.[ranking];
  return typeof value === "number" ? value : null;
}

function gain(row, method, ranking = view.ranking) {
  const before = score("zero_shot" in row ? row : view.data, "zero_shot", ranking);
  const after = score(row, method, ranking);
  return before === null || after === null ? null : after - before;
}

// A difference that is visible with two decimals.
function isVisible(difference) {
  return difference !== null && Math.abs(difference) >= 0.005;
}

// The name of a row: the first text in it.
function rowName(row) {
  const text = Object.values(row).find((value) => typeof value === "string");
  return text === undefined ? "" : visible(text);
}

// A protocol's rows; empty if it was not requested.
function protocol(key) {
  const rows = view.data.protocols?.[key];
  return Array.isArray(rows) ? rows : [];
}

function hundredths(value) {
  return value === null || value === undefined ? "–" : value.toFixed(2);
}

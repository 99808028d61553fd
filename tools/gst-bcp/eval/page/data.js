// SPDX-License-Identifier: LGPL-2.1-or-later
// The evaluation in the page, made ready to be asked. `gst-bcp eval --json` writes the same.

const kRankings = ["logits", "softmax"];

// What is looked at now; whoever draws listens for changes.
const view = {
  ...makeEvents("ranking", "theme"),
  data: null,
  ranking: "logits",
  setRanking(ranking) {
    this.ranking = ranking;
    this.emit("ranking");
  },
};

// A number, or null, by each ranking. The rules of a decision may be called softmax too, and are objects.
function isScore(value) {
  if (value === null || typeof value !== "object") return false;
  return kRankings.some((ranking) => ranking in value && (value[ranking] === null || typeof value[ranking] !== "object"));
}

// The methods that `row` has scores of, plain CLIP first.
function methodsOf(row) {
  const keys = Object.keys(row).filter((key) => isScore(row[key]));
  return keys.sort((a, b) => (b === "zero_shot") - (a === "zero_shot"));
}

// The method that the page is about: BCP as it was asked for, or the first of those judged in its place; null for none.
function chosenMethod() {
  const others = methodsOf(view.data).filter((method) => method !== "zero_shot");
  return others.includes("bcp") ? "bcp" : (others[0] ?? null);
}

function methodsOfAll(rows) {
  return [...new Set(rows.flatMap(methodsOf))].sort((a, b) => (b === "zero_shot") - (a === "zero_shot"));
}

// What a method is called: "Plain CLIP", "BCP (paper)".
function methodName(key) {
  const told = view.data.settings.methods?.find((method) => method.key === key)?.title;
  if (typeof told === "string" && told !== "") return visible(told[0].toUpperCase() + told.slice(1));
  return (
    { zero_shot: "Plain CLIP", bcp_video: "BCP (video)", bcp_paper: "BCP (paper)" }[key] ?? visible(key).toUpperCase()
  );
}

// A number of a method in a row; null where there is none.
function score(row, method, ranking = view.ranking) {
  const value = row[method]?.[ranking];
  return typeof value === "number" ? value : null;
}

function gain(row, method, ranking = view.ranking) {
  const before = score("zero_shot" in row ? row : view.data, "zero_shot", ranking);
  const after = score(row, method, ranking);
  return before === null || after === null ? null : after - before;
}

// A difference that two decimals show.
function isVisible(difference) {
  return difference !== null && Math.abs(difference) >= 0.005;
}

// What a row of a table is about: the first text in it.
function rowName(row) {
  const text = Object.values(row).find((value) => typeof value === "string");
  return text === undefined ? "" : visible(text);
}

// A protocol's rows; an empty list where it was not asked for.
function protocol(key) {
  const rows = view.data.protocols?.[key];
  return Array.isArray(rows) ? rows : [];
}

function hundredths(value) {
  return value === null || value === undefined ? "–" : value.toFixed(2);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings, and the command to do it again.

// What the preset "paper" is: settings that need no option.
const kPaper = {
  "anchor-confidence": 0.5,
  strength: 1,
  anchors: 1,
  shrinkage: 0,
  "half-life": 0,
  "novelty-distance": 0,
  "novelty-interval": 0,
};

function inputWords(settings) {
  const words = [];
  for (const name of ["dataset", "root", "model", "prompt-template", "coverage", "scale"])
    if (settings[name] !== null && settings[name] !== undefined) words.push(`--${name}`, String(settings[name]));
  for (const [name, file] of Object.entries(settings.files ?? {}))
    if (typeof file === "string" && file !== "") words.push(`--${name}`, file);
  return words;
}

function bcpWords(settings) {
  const words = settings.preset === "video" ? ["--preset", "video"] : [];
  for (const [name, usual] of Object.entries(kPaper)) {
    const value = settings[name];
    if (typeof value === "number" && (settings.preset === "video" || value !== usual))
      words.push(`--${name}`, String(value));
  }
  if (settings["warm-up"] === true) words.push("--warm-up");
  return words;
}

function commandWords() {
  const { settings, protocols } = view.data;
  const methods = methodsOf(view.data).filter((method) => !["zero_shot", "bcp_video", "bcp_paper"].includes(method));
  const words = ["gst-bcp", "eval", ...inputWords(settings), ...bcpWords(settings)];
  if (methods.length === 0) words.push("--adapter", "none");
  else if (methods.join() !== "bcp") words.push(...methods.flatMap((method) => ["--adapter", method]));
  for (const key of Object.keys(protocols ?? {})) words.push("--protocol", key.replaceAll("_", "-"));
  if (settings.seed) words.push("--seed", String(settings.seed));
  if (settings.score === "softmax") words.push("--score", "softmax");
  if (settings.difficult === "absent") words.push("--difficult", "absent");
  return words;
}

function drawFacts() {
  const { methods, ...settings } = view.data.settings; // the methods are in the tables
  const told = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  fill(
    byId("facts-body"),
    make("div", { class: "card" }, make("p", {}, "Command:"), commandBlock(commandWords()), settingsTable(told)),
  );
}

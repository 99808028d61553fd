// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings, and the command to reproduce it.

// The settings of the presets, which need no option. Some are not even allowed if the stream has no embeddings.
const kPresets = {
  paper: {
    "anchor-confidence": 0.5,
    strength: 1,
    anchors: 1,
    shrinkage: 0,
    "half-life": 0,
    "novelty-distance": 0,
    "novelty-interval": 0,
    "keep-anchor": false,
    "warm-up": false,
  },
  video: {
    "anchor-confidence": 0,
    strength: 1,
    anchors: 0,
    shrinkage: 2,
    "half-life": 2000,
    "novelty-distance": 0.05,
    "novelty-interval": 30,
    "keep-anchor": true,
    "warm-up": false,
  },
};

// The input: arrays, or a data set of pictures.
function inputWords(settings) {
  const words = [];
  const names = settings.dataset
    ? ["dataset", "root", "model", "list", "limit", "coverage", "prompt-template"]
    : ["scale"];
  for (const name of names) for (const value of [settings[name] ?? []].flat()) words.push(`--${name}`, String(value));
  for (const [name, file] of Object.entries(settings.files ?? {})) words.push(`--${name}`, String(file));
  return words;
}

function bcpWords(settings) {
  const isVideo = settings.preset === "video";
  const words = isVideo ? ["--preset", "video"] : [];
  for (const [name, usual] of Object.entries(kPresets[isVideo ? "video" : "paper"])) {
    const value = settings[name];
    if (typeof value !== typeof usual || value === usual) continue;
    if (value === true) words.push(`--${name}`);
    else if (value === false) words.push(`--${name}=false`);
    else words.push(`--${name}`, String(value));
  }
  return words;
}

function commandWords() {
  const { settings, protocols } = view.data;
  const methods = methodsOf(view.data).filter((method) => !["zero_shot", "bcp_video", "bcp_paper"].includes(method));
  const words = ["gst-bcp", "eval", ...inputWords(settings), ...bcpWords(settings)];
  for (const name of ["prior-strength", "presence-scale"])
    if (typeof settings[name] === "number" && settings[name] !== 1) words.push(`--${name}`, String(settings[name]));
  if (methods.length === 0) words.push("--adapter", "none");
  else if (methods.join() !== "bcp") words.push(...methods.flatMap((method) => ["--adapter", method]));
  for (const key of Object.keys(protocols ?? {})) words.push("--protocol", key.replaceAll("_", "-"));
  if (protocols?.video && settings.video?.shots) words.push("--video-shots", String(settings.video.shots));
  if (settings.seed) words.push("--seed", String(settings.seed));
  if (settings.score === "softmax") words.push("--score", "softmax");
  if (settings.difficult === "absent") words.push("--difficult", "absent");
  return words;
}

function drawFacts() {
  const { methods, ...settings } = view.data.settings; // the methods are in the tables
  const known = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  fill(
    byId("facts-body"),
    make("div", { class: "card" }, make("p", {}, "Command:"), commandBlock(commandWords()), settingsTable(known)),
  );
}

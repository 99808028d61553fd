// SPDX-License-Identifier: LGPL-2.1-or-later
// How to reproduce the page: settings, and the command.

// Nested settings as separate rows: ["bcptagger max-rate", "10"].
function settingRows(settings, prefix = "") {
  return Object.entries(settings).flatMap(([key, value]) => {
    const isGroup = value !== null && typeof value === "object" && !Array.isArray(value);
    if (isGroup) return settingRows(value, `${prefix}${key} `);
    return [[prefix + key, typeof value === "string" ? value : JSON.stringify(value)]];
  });
}

// A word of a command line, quoted if a shell needs it.
function quoted(word) {
  return /^[\w./:=,+%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function commandBlock(words) {
  return make("pre", { tabindex: "0", "aria-label": "Command" }, make("code", {}, words.map(quoted).join(" ")));
}

function settingsTable(settings) {
  return make(
    "table",
    { class: "settings" },
    make("caption", { class: "visually-hidden" }, "Settings"),
    make(
      "tbody",
      {},
      settingRows(settings).map(([key, value]) =>
        make("tr", {}, make("th", { scope: "row" }, visible(key)), make("td", {}, make("code", {}, visible(value)))),
      ),
    ),
  );
}

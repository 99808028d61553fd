// SPDX-License-Identifier: LGPL-2.1-or-later
// What is needed to make it again: settings, and the command.

// Settings within settings, as rows of their own: ["bcptagger max-rate", "10"].
function settingRows(settings, prefix = "") {
  return Object.entries(settings).flatMap(([key, value]) => {
    const isGroup = value !== null && typeof value === "object" && !Array.isArray(value);
    if (isGroup) return settingRows(value, `${prefix}${key} `);
    return [[prefix + key, typeof value === "string" ? value : JSON.stringify(value)]];
  });
}

// A word of a command line, quoted where a shell would need it.
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

// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings, and the command to do it again.

// The words of the command; of an evaluation that does not tell them, what its files say.
function commandWords() {
  const { command, files } = view.data.settings;
  if (Array.isArray(command)) return command;
  const words = ["gst-bcp", "eval"];
  for (const [name, file] of Object.entries(files ?? {}))
    if (typeof file === "string" && file !== "") words.push(`--${name}`, file);
  return words.length > 2 ? words : [];
}

function drawFacts() {
  const { command, ...settings } = view.data.settings;
  const words = commandWords();
  fill(
    byId("facts-body"),
    make(
      "div",
      { class: "card" },
      words.length > 0 ? [make("p", {}, "Command:"), commandBlock(words)] : null,
      typeof command === "string"
        ? make("pre", { tabindex: "0", "aria-label": "Command" }, make("code", {}, visible(command)))
        : null,
      settingsTable(settings),
    ),
  );
}

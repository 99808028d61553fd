// SPDX-License-Identifier: LGPL-2.1-or-later
// The labels to look for: typed, removed, and how often each is there. The element's own answer is shown.

const kOften = [["", "automatic"], ["0.5", "always"], ["0.1", "sometimes"], ["0.02", "rare"]];
const words = { key: "", note: "", noted: -Infinity };

function typedWords() {
  return byId("new-words").value.split(",").map((word) => word.trim()).filter((word) => word !== "");
}

function say(text, isFault = false) {
  const status = byId("words-status");
  status.textContent = text;
  status.classList.toggle("fault", isFault);
}

async function sendWords(labels) {
  const camera = chosenCamera();
  if (!camera) return;
  say("Encoding the labels; the old ones stay in use until then…");
  try {
    await change("/api/labels", labels ? { camera: camera.state.id, labels } : { camera: camera.state.id, all: true });
    byId("new-words").value = "";
  } catch (error) {
    say(sentence(error.message), true);
  }
}

function watchWords() {
  byId("add-words").addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = typedWords();
    const inUse = chosenCamera()?.state.labels ?? [];
    const known = new Set(inUse.map((label) => label.name));
    const fresh = typed.filter((word, i) => !known.has(word) && typed.indexOf(word) === i);
    if (typed.length === 0) return say("Type a label first.", true);
    if (fresh.length === 0) return say("These labels are in use already.", true);
    sendWords([...inUse, ...fresh.map((name) => ({ name, often: null }))]);
  });
  byId("only").addEventListener("click", () => {
    const typed = typedWords();
    if (typed.length === 0) return say("Type the labels first.", true);
    sendWords([...new Set(typed)].map((name) => ({ name, often: null })));
  });
  byId("all-words").addEventListener("click", () => sendWords(null));
}

// The element's answer to a change of labels or context words.
function takeAnswer(answer) {
  if (answer.camera !== chosen.id) return;
  const about = answer.kind === "context" ? byId("settings-status") : byId("words-status");
  const isFresh = performance.now() - words.noted < 5000; // it may come before the answer
  about.textContent = answer.done ? (answer.kind === "context" ? "The context words are in use." : "The labels are in use.") : sentence(answer.text);
  if (isFresh) about.textContent += ` ${words.note}`;
  about.classList.toggle("fault", !answer.done);
  words.note = "";
}

function takeNote(note) {
  if (note.camera !== chosen.id) return;
  words.note = sentence(note.text);
  words.noted = performance.now();
  const status = byId("words-status");
  if (status.textContent.startsWith("The labels are in use.")) status.textContent = `The labels are in use. ${words.note}`;
}

function drawWords() {
  const state = chosenCamera()?.state;
  const labels = state?.labels ?? [];
  const total = state?.rates?.labels ?? labels.length;
  byId("word-count").textContent = `${plural(total, "label", "labels")} in use`;
  const key = JSON.stringify([chosen.id, labels]);
  if (words.key === key || byId("chips").matches(":focus-within")) return;
  words.key = key;
  fill(byId("chips"), labels.map((label, i) => {
    const others = labels.filter((_, j) => j !== i);
    const select = make("select", { "aria-label": `how often ${visible(label.name)} is there`, onchange: (event) => {
      const often = event.target.value === "" ? null : Number(event.target.value);
      sendWords(labels.map((each, j) => (j === i ? { ...each, often } : each)));
      event.target.blur();
    } }, kOften.map(([value, name]) => make("option", { value, selected: value === String(label.often ?? "") }, name)));
    return make("li", { class: "chip" }, make("bdi", {}, visible(label.name)), select,
      make("button", { type: "button", class: "small", "aria-label": `remove ${visible(label.name)}`, disabled: others.length === 0,
        onclick: () => { document.activeElement?.blur(); sendWords(others); } }, "×"));
  }), labels.length < total ? make("li", { class: "hint" }, `and ${count(total - labels.length)} more, which cannot be edited here`) : null);
}

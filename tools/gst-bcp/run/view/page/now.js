// SPDX-License-Identifier: LGPL-2.1-or-later
// The labels of the newest frame: those that are shown, beside those that plain CLIP would show. Rows are kept while
// their labels stay, and their order does not change under a pointer or a focus.

const nowRows = { shown: new Map(), plain: new Map() };

function makeScoreRow(name, teachable) {
  const bar = make("span", { class: "bar" });
  const value = make("span", { class: "number value" });
  const mark = make("span", { class: "mark" });
  const row = make("li", { class: "score" },
    make("span", { class: "score-line" }, make("bdi", { class: "name" }, visible(name)), mark, value),
    make("span", { class: "bar-frame", "aria-hidden": "true" }, bar));
  if (teachable) {
    row.append(make("span", { class: "teach group" },
      make("button", { type: "button", class: "small right", "aria-label": `right: ${visible(name)} is there`, onclick: () => teach(name, true) }, "right"),
      make("button", { type: "button", class: "small wrong", "aria-label": `wrong: ${visible(name)} is not there`, onclick: () => teach(name, false) }, "wrong")));
  }
  return { row, bar, value, mark };
}

// `words`: what a label that only this side has is called.
function drawScores(list, rows, labels, { key, teachable, words }) {
  const isBusy = list.matches(":hover, :focus-within");
  const names = new Set(labels.map((label) => label.name));
  for (const [name, made] of rows) {
    if (names.has(name) && !made.gone) continue;
    if (names.has(name)) made.gone = false;
    else if (isBusy && teachable) made.gone = true; // under the pointer: it fades, and goes later
    else {
      made.row.remove();
      rows.delete(name);
    }
    made.row.classList.toggle("gone", Boolean(made.gone));
  }
  labels.forEach((label) => {
    if (!rows.has(label.name)) rows.set(label.name, makeScoreRow(label.name, teachable));
    const made = rows.get(label.name);
    made.bar.style.width = `${Math.round((label[key] ?? 0) * 100)}%`;
    made.value.textContent = percent(label[key]);
    const alone = teachable ? !label.plainShown : !label.shown;
    made.row.dataset.alone = alone ? (teachable ? "added" : "removed") : "";
    made.mark.textContent = alone ? words : "";
    if (!made.row.isConnected) list.append(made.row);
  });
  if (!isBusy) {
    labels.forEach((label, i) => {
      const row = rows.get(label.name).row;
      if (list.children[i] !== row) list.insertBefore(row, list.children[i] ?? null);
    });
  }
}

function drawNow() {
  const camera = chosenCamera();
  const result = camera?.result;
  const live = camera?.state.connection === "live" || camera?.state.connection === "opening";
  const labels = live && result ? result.labels : [];
  const shown = labels.filter((label) => label.shown);
  const plain = labels.filter((label) => label.plainShown).sort((a, b) => b.plain - a.plain);
  drawScores(byId("shown"), nowRows.shown, shown, { key: "p", teachable: true, words: "added" });
  drawScores(byId("plain"), nowRows.plain, plain, { key: "plain", teachable: false, words: "left out" });
  byId("shown-none").hidden = byId("shown").children.length > 0;
  byId("shown-none").textContent = result?.context && live ? `nothing (it looks like: ${visible(result.context)})` : "nothing";
  byId("plain-none").hidden = plain.length > 0;
  byId("uncalibrated").hidden = !result || result.calibrated || !result.presence;
  drawMissing(result);
}

// Labels in use that are not shown, the likeliest first.
function drawMissing(result) {
  const select = byId("missing-label");
  if (select === document.activeElement) return;
  const state = chosenCamera()?.state;
  const all = (state?.labels ?? []).map((label) => label.name);
  const scores = new Map((result?.labels ?? []).map((label) => [label.name, label]));
  const names = all.filter((name) => !scores.get(name)?.shown).sort((a, b) => (scores.get(b)?.p ?? 0) - (scores.get(a)?.p ?? 0) || a.localeCompare(b));
  const key = [...names].sort().join("\n");
  if (select.dataset.key === key) return;
  const before = select.value;
  select.dataset.key = key;
  fill(select, names.map((name) => make("option", { value: name }, visible(name))));
  if (names.includes(before)) select.value = before;
  byId("missing-button").disabled = names.length === 0;
}

function clearNow() {
  for (const rows of Object.values(nowRows)) {
    for (const made of rows.values()) made.row.remove();
    rows.clear();
  }
}

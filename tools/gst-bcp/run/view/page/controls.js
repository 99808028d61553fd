// SPDX-License-Identifier: LGPL-2.1-or-later
// Settings of the element that change while it runs.

const controls = { key: "" };

async function sendSetting(setting) {
  const camera = chosenCamera();
  const status = byId("settings-status");
  status.classList.remove("fault");
  try {
    const answer = await change("/api/settings", { camera: camera.state.id, ...setting });
    status.textContent = answer.pending ? "Encoding the context words; the old ones stay in use until then…" : "Changed.";
  } catch (error) {
    status.textContent = sentence(error.message);
    status.classList.add("fault");
  }
}

// A share with an automatic value: a check box and a slider.
function makeShare(id, title, text, value, automatic, key) {
  const isAutomatic = value < 0;
  const now = isAutomatic ? automatic : value;
  const output = make("output", { for: id, class: "number" }, isAutomatic ? `automatic (${now})` : now.toFixed(2));
  const slider = make("input", { type: "range", id, min: 0, max: 1, step: 0.01, value: now, "aria-describedby": `${id}-text`,
    oninput: () => { output.textContent = Number(slider.value).toFixed(2); },
    onchange: () => sendSetting({ [key]: Number(slider.value) }) });
  return make("div", { class: "card" }, make("label", { for: id, class: "name" }, title), " ", output, slider,
    make("p", { class: "hint", id: `${id}-text` }, text),
    make("button", { type: "button", class: "small", disabled: isAutomatic, onclick: () => sendSetting({ [key]: -1 }) }, "Automatic"));
}

function makeContext(context) {
  const area = make("textarea", { id: "own-words", rows: 3, "aria-label": "own context words, with commas between them", placeholder: "street, garden, sky" });
  area.value = context.words.join(", ");
  area.hidden = context.kind !== "own";
  const use = make("button", { type: "button", class: "small", hidden: context.kind !== "own", onclick: () => {
    document.activeElement?.blur();
    sendSetting({ context: { kind: "own", words: area.value.split(/[,\n]/).map((word) => word.trim()).filter((word) => word !== "") } });
  } }, "Use these words");
  const choices = [["everyday", "everyday words"], ["none", "none"], ["own", "own words"]];
  if (context.kind === "file") choices.push(["file", "from a file"]);
  const select = make("select", { id: "context", onchange: () => {
    area.hidden = use.hidden = select.value !== "own";
    if (select.value === "everyday" || select.value === "none") {
      sendSetting({ context: { kind: select.value } });
      select.blur();
    } else if (select.value === "own") area.focus();
  } }, choices.map(([value, name]) => make("option", { value, selected: value === context.kind }, name)));
  return make("div", { class: "card" }, make("label", { for: "context", class: "name" }, "Context words"), " ", select,
    make("p", { class: "hint" }, "They compete with the labels and are never shown, so a frame can have no label."), area, use);
}

function drawControls() {
  const camera = chosenCamera();
  const settings = camera?.state.settings;
  const place = byId("controls");
  byId("settings").hidden = !settings;
  const threshold = camera?.state.rates?.threshold ?? 0.5;
  const key = JSON.stringify([chosen.id, settings, threshold]);
  if (!settings || controls.key === key || place.matches(":focus-within, :active")) return;
  controls.key = key;
  fill(place,
    makeShare("threshold", "Threshold", "A label is shown from this probability. Lower shows more labels, and more wrong ones.", settings.threshold, threshold, "threshold"),
    makeShare("strength", "Weight of everyday knowledge", "How much the table of what occurs in pictures counts, alone and together.", settings.priorStrength, 1, "priorStrength"),
    makeContext(settings.context));
}

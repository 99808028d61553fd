// SPDX-License-Identifier: LGPL-2.1-or-later
// What was learnt: how often labels occur together in this stream, as a table of colours, and what people's clicks
// added. Read every five seconds while it is in sight.

const kMostInTable = 12;
const learnt = { inSight: false, timer: 0, key: "" };

// The middle of the scale is left out: neither light nor dark text can be read on it.
function colourOf(share) {
  const part = share < 0.5 ? share * 0.6 : 0.68 + (Math.min(1, share) - 0.5) * 0.64;
  return `color-mix(in oklab, var(--high) ${Math.round(part * 100)}%, var(--low))`;
}

function heatTable(answer) {
  const n = answer.labels.length;
  const rows = [...Array(Math.min(n, kMostInTable)).keys()].filter((i) => answer.frequency[i] >= 0.005);
  if (rows.length < 2) return make("p", { class: "hint" }, "Not enough was seen yet to say which labels occur together.");
  const head = make("tr", {}, make("td", {}), rows.map((k) => make("th", { scope: "col" }, make("span", { class: "turned" }, visible(answer.labels[k])))));
  const body = rows.map((a) => make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, visible(answer.labels[a]))),
    rows.map((k) => {
      if (a === k) return make("td", { class: "same" }, make("span", { class: "visually-hidden" }, "the same label"));
      const share = answer.conditional[a * n + k];
      const cell = make("td", { class: "heat", title: `when ${visible(answer.labels[a])} is there, ${visible(answer.labels[k])} is: ${percent(share)}` }, percent(share));
      cell.style.background = colourOf(share);
      cell.style.color = share >= 0.5 ? "var(--card)" : "var(--text)";
      return cell;
    })));
  return make("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "How often labels occur together" },
    make("table", { class: "heat-table" }, make("caption", { class: "hint" }, "When the label of the row is there, how likely is that of the column?"),
      make("thead", {}, head), make("tbody", {}, body)));
}

function taughtList(answer) {
  const entries = answer.taughtLabels.map((name, i) => [name, answer.taughtOffsets[i]]).filter(([, offset]) => Math.abs(offset) >= 0.005);
  if (entries.length === 0) return make("p", { class: "hint" }, "No one has clicked right, wrong or missing yet.");
  return make("ul", { class: "taught" }, entries.slice(0, 12).map(([name, offset]) => make("li", {},
    make("bdi", { class: "name" }, visible(name)), " is shown ",
    make("span", { class: offset > 0 ? "added" : "removed" }, offset > 0 ? "sooner" : "later"),
    make("span", { class: "hint number" }, ` (log odds ${signed(offset, 2)})`))));
}

async function readLearnt() {
  clearTimeout(learnt.timer);
  if (!learnt.inSight || document.hidden) return;
  const id = chosen.id;
  try {
    const answer = await read(`/api/learnt?camera=${id}`);
    const key = JSON.stringify([id, answer]);
    if (id === chosen.id && learnt.key !== key && !byId("learnt-body").matches(":focus-within")) {
      learnt.key = key;
      fill(byId("learnt-body"),
        make("p", { class: "hint" }, `From ${plural(Math.round(answer.samples), "frame", "frames")} that differed from the one before, and ${plural(answer.statements, "click", "clicks")}.`),
        make("div", { class: "columns wide" }, make("div", { class: "card" }, make("h4", {}, "Which labels occur together"), heatTable(answer)),
          make("div", { class: "card" }, make("h4", {}, "What the clicks changed"), taughtList(answer))));
    }
  } catch (error) {
    fill(byId("learnt-body"), make("p", { class: "hint" }, sentence(error.message)));
    learnt.key = "";
  }
  learnt.timer = setTimeout(readLearnt, 5000);
}

function watchLearnt() {
  new IntersectionObserver(([entry]) => {
    learnt.inSight = entry.isIntersecting;
    readLearnt();
  }).observe(byId("learnt"));
  document.addEventListener("visibilitychange", readLearnt);
}

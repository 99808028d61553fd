// SPDX-License-Identifier: LGPL-2.1-or-later
// The top of the page: what BCP buys, and where it costs, under both rankings.

function changeNode(ranking) {
  const change = gain(view.data, "bcp", ranking);
  if (!isVisible(change)) return make("strong", {}, "changes nothing");
  const isGain = change > 0;
  return make(
    "strong",
    { class: isGain ? "gain" : "loss" },
    `${isGain ? "gains" : "loses"} ${Math.abs(change).toFixed(2)} mAP`,
  );
}

function fromTo(ranking) {
  const before = score(view.data, "zero_shot", ranking);
  const after = score(view.data, "bcp", ranking);
  return ` (${hundredths(before)} to ${hundredths(after)})`;
}

function headline() {
  return [
    "Ranked by logits, as in the paper, BCP ",
    changeNode("logits"),
    fromTo("logits"),
    ". Ranked by softmax it ",
    changeNode("softmax"),
    fromTo("softmax"),
    ".",
  ];
}

// The highest figure of all, which may be nobody's merit but the ranking's.
function best() {
  const cells = methodsOf(view.data).flatMap((method) =>
    kRankings.map((ranking) => ({ method, ranking, value: score(view.data, method, ranking) })),
  );
  return cells.filter((cell) => cell.value !== null).reduce((most, cell) => (cell.value > most.value ? cell : most));
}

function verdict() {
  const { method, ranking, value } = best();
  const words = [`The best of all is ${methodName(method)} ranked by ${ranking}: ${hundredths(value)} mAP. `];
  const other = ranking === "logits" ? "softmax" : "logits";
  const plain = score(view.data, "zero_shot", ranking);
  const corrected = score(view.data, "bcp", other);
  if (plain !== null && corrected !== null && plain > corrected)
    words.push(
      `With this model the choice of ranking matters more than the correction: plain CLIP ranked by ${ranking} `,
      `(${hundredths(plain)}) is better than BCP ranked by ${other} (${hundredths(corrected)}). `,
    );
  return words;
}

function tile(value, words, more) {
  return make(
    "div",
    { class: "tile card" },
    make("span", { class: "value" }, value),
    make("span", { class: "words" }, words),
    make("span", { class: "hint" }, more),
  );
}

function labelChanges(ranking) {
  const changes = (view.data.per_class ?? [])
    .map((row) => ({ name: visible(row.label), row, change: gain(row, "bcp", ranking) }))
    .filter((each) => each.change !== null)
    .sort((a, b) => a.change - b.change);
  return {
    lost: changes.filter((each) => isVisible(each.change) && each.change < 0),
    gained: changes.filter((each) => isVisible(each.change) && each.change > 0),
    all: changes.length,
  };
}

function tiles() {
  const { settings } = view.data;
  const all = [tile(count(settings.samples), "pictures", plural(settings.labels, "label", "labels"))];
  for (const ranking of kRankings) {
    const { lost, gained, all: labels } = labelChanges(ranking);
    all.push(tile(signed(gain(view.data, "bcp", ranking), 2), "mAP", `BCP, ranked by ${ranking}`));
    if (labels > 0)
      all.push(tile(`${gained.length} : ${lost.length}`, "labels gain : lose", `BCP, ranked by ${ranking}`));
  }
  return all;
}

// "boat (−2.10)" of the first few.
function someOf(items, most = 4) {
  const shown = items
    .slice(0, most)
    .map(({ name, change }) => make("span", {}, make("bdi", { class: "name" }, name), ` (${signed(change, 2)})`));
  if (items.length > most) shown.push(`${items.length - most} more`);
  return listed(shown);
}

const kPartWords = {
  last_half: (row) => `${rowName(row)} of the stream`,
  non_iid: (row) => `non-i.i.d. order, γ = ${rowName(row)}`,
  label_count: (row) => `pictures with ${rowName(row)} labels`,
  frequency: (row) => `${rowName(row)} labels`,
  anchor_hit: (row) => (rowName(row) === "hit" ? "where the anchor is right" : "where the anchor is wrong"),
};

function partsLost(ranking) {
  return Object.entries(kPartWords).flatMap(([key, words]) =>
    protocol(key)
      .map((row) => ({ name: words(row), change: gain(row, "bcp", ranking) }))
      .filter(({ change }) => isVisible(change) && change < 0),
  );
}

// What speaks against BCP in these figures, an item each.
function costs() {
  const items = [];
  for (const ranking of kRankings) {
    const change = gain(view.data, "bcp", ranking);
    const { lost, all } = labelChanges(ranking);
    if (isVisible(change) && change < 0)
      items.push([`Ranked by ${ranking}, BCP loses ${Math.abs(change).toFixed(2)} mAP against plain CLIP.`]);
    if (lost.length > 0)
      items.push([
        `Ranked by ${ranking}, ${lost.length} of ${plural(all, "label loses", "labels lose")}: `,
        ...someOf(lost),
        ".",
      ]);
    const parts = partsLost(ranking);
    if (parts.length > 0) items.push([`Ranked by ${ranking}, it loses on these parts: `, ...someOf(parts, 6), "."]);
    const own = score(view.data, "bcp", ranking);
    for (const method of methodsOf(view.data)) {
      const value = score(view.data, method, ranking);
      if (method !== "zero_shot" && method !== "bcp" && own !== null && value > own + 0.005)
        items.push([
          `Ranked by ${ranking}, ${methodName(method)} is better: ${hundredths(value)} against ${hundredths(own)}.`,
        ]);
    }
  }
  return items;
}

function drawSummary() {
  fill(byId("headline"), ...headline());
  fill(byId("verdict"), ...verdict());
  fill(byId("tiles"), ...tiles());
  const items = costs();
  fill(
    byId("costs"),
    make("h3", {}, "Where it costs"),
    items.length > 0
      ? make(
          "ul",
          {},
          items.map((item) => make("li", {}, ...item)),
        )
      : make("p", {}, "Nothing that was measured here lost, under either ranking."),
  );
  byId("costs").classList.toggle("warns", items.length > 0);
}

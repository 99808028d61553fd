// SPDX-License-Identifier: LGPL-2.1-or-later
// The top of the page: what BCP gains and loses, under both rankings.

function changeNode(method, ranking) {
  const change = gain(view.data, method, ranking);
  if (!isVisible(change)) return make("strong", {}, "changes nothing");
  const isGain = change > 0;
  return make(
    "strong",
    { class: isGain ? "gain" : "loss" },
    `${isGain ? "gains" : "loses"} ${Math.abs(change).toFixed(2)} mAP`,
  );
}

function fromTo(method, ranking) {
  const before = score(view.data, "zero_shot", ranking);
  const after = score(view.data, method, ranking);
  return ` (${hundredths(before)} to ${hundredths(after)})`;
}

function headline(method) {
  if (method === null)
    return [
      "Plain CLIP reaches ",
      make("strong", {}, `${hundredths(score(view.data, "zero_shot", "logits"))} mAP`),
      " ranked by logits, as in the paper, and ",
      make("strong", {}, hundredths(score(view.data, "zero_shot", "softmax"))),
      " ranked by softmax.",
    ];
  const name = method === "bcp" ? "BCP" : methodName(method);
  return [
    `Ranked by logits, as in the paper, ${name} `,
    changeNode(method, "logits"),
    fromTo(method, "logits"),
    ". Ranked by softmax it ",
    changeNode(method, "softmax"),
    fromTo(method, "softmax"),
    ".",
  ];
}

// The highest figure of all, which may come from the ranking alone.
function best() {
  const cells = methodsOf(view.data).flatMap((method) =>
    kRankings.map((ranking) => ({ method, ranking, value: score(view.data, method, ranking) })),
  );
  return cells.filter((cell) => cell.value !== null).reduce((most, cell) => (cell.value > most.value ? cell : most));
}

function verdict(chosen) {
  const { method, ranking, value } = best();
  const words = [`The best result is ${methodName(method)} ranked by ${ranking}: ${hundredths(value)} mAP. `];
  const other = ranking === "logits" ? "softmax" : "logits";
  const plain = score(view.data, "zero_shot", ranking);
  const corrected = score(view.data, chosen, other);
  if (plain !== null && corrected !== null && plain > corrected)
    words.push(
      "With this model the choice of ranking matters more than the correction: ",
      `plain CLIP ranked by ${ranking} (${hundredths(plain)}) is better than ${methodName(chosen)} `,
      `ranked by ${other} (${hundredths(corrected)}).`,
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

function labelChanges(method, ranking) {
  const changes = (view.data.per_class ?? [])
    .map((row) => ({ name: visible(row.label), row, change: gain(row, method, ranking) }))
    .filter((each) => each.change !== null)
    .sort((a, b) => a.change - b.change);
  return {
    lost: changes.filter((each) => isVisible(each.change) && each.change < 0),
    gained: changes.filter((each) => isVisible(each.change) && each.change > 0),
    all: changes.length,
  };
}

function tiles(method) {
  const { settings } = view.data;
  const all = [tile(count(settings.samples), "pictures", plural(settings.labels, "label", "labels"))];
  for (const ranking of method === null ? [] : kRankings) {
    const { lost, gained, all: labels } = labelChanges(method, ranking);
    const words = `${methodName(method)}, ranked by ${ranking}`;
    all.push(tile(signed(gain(view.data, method, ranking), 2), "mAP", words));
    if (labels > 0) all.push(tile(`${gained.length} : ${lost.length}`, "labels gain : lose", words));
  }
  return all;
}

// "boat (−2.10)" of the first few.
function someOf(items, most) {
  const shown = items.slice(0, most).map(({ name, change }) => make("span", {}, name, ` (${signed(change, 2)})`));
  if (items.length > most) shown.push(`${items.length - most} more`);
  return listed(shown);
}

const kPartWords = {
  last_half: (row) => `the ${rowName(row)} of the stream`,
  non_iid: (row) => `the order with γ = ${rowName(row)}`,
  label_count: (row) => `pictures with ${rowName(row)} labels`,
  frequency: (row) => `${rowName(row)} labels`,
  anchor_hit: (row) => (rowName(row) === "hit" ? "pictures whose anchor is right" : "pictures whose anchor is wrong"),
};

function partsLost(method, ranking) {
  return Object.entries(kPartWords).flatMap(([key, words]) =>
    protocol(key)
      .filter((row) => rowName(row) !== "whole")
      .map((row) => ({ name: words(row), change: gain(row, method, ranking) }))
      .filter(({ change }) => isVisible(change) && change < 0),
  );
}

// The disadvantages of the method in these figures, one item each.
function costs(chosen) {
  const items = [];
  for (const ranking of kRankings) {
    const { lost, all } = labelChanges(chosen, ranking);
    const names = lost.map(({ name, change }) => ({ name: make("bdi", { class: "name" }, name), change }));
    const how = lost.length === all ? `all ${all} labels` : `${lost.length} of ${all} labels`;
    if (lost.length > 0) items.push([`Ranked by ${ranking}, ${how} lose, most of all `, ...someOf(names, 3), "."]);
    const parts = partsLost(chosen, ranking);
    if (parts.length > 0) items.push([`Ranked by ${ranking}, these parts lose: `, ...someOf(parts, 5), "."]);
    const own = score(view.data, chosen, ranking);
    const better = methodsOf(view.data)
      .filter((method) => method !== chosen)
      .map((method) => ({ name: methodName(method), value: score(view.data, method, ranking) }))
      .filter(({ value }) => own !== null && value !== null && isVisible(value - own) && value > own)
      .map(({ name, value }) => `${name} (${hundredths(value)})`);
    if (better.length > 0)
      items.push([
        `Ranked by ${ranking}, better than ${methodName(chosen)} (${hundredths(own)}): `,
        ...listed(better),
        ".",
      ]);
  }
  return items;
}

function drawSummary() {
  const method = chosenMethod();
  fill(byId("headline"), ...headline(method));
  fill(byId("verdict"), ...verdict(method));
  fill(byId("tiles"), ...tiles(method));
  byId("costs").hidden = method === null;
  if (method === null) return;
  const items = costs(method);
  fill(
    byId("costs"),
    make("h3", {}, "Where it loses"),
    items.length > 0
      ? make(
          "ul",
          {},
          items.map((item) => make("li", {}, ...item)),
        )
      : make("p", {}, "No loss was measured, under either ranking."),
  );
  byId("costs").classList.toggle("warns", items.length > 0);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// The top of the page: what the correction changed, in sentences, numbers and two moments; and what may be wrong.

function mostOf(rows, what) {
  return rows.filter((row) => row[what] > 0).sort((a, b) => b[what] - a[what]);
}

// "person 84 times, mostly with bicycle"
function changeWords(row, what) {
  const cause = row[`${what}_by`].find((each) => each.anchor >= 0);
  const isUsual = !row[`${what}_why`] && cause && cause.anchor !== row.label && cause.count * 3 >= row[what];
  const how = !isUsual
    ? ""
    : cause.count === row[what]
      ? " with "
      : cause.count * 2 > row[what]
        ? ", mostly with "
        : ", often with ";
  return make(
    "span",
    {},
    nameNode(row.label, what),
    ` ${times(row[what])}${how}`,
    isUsual ? nameNode(cause.anchor) : null,
  );
}

function headline(stream) {
  const samples = `By the end it had learnt from ${plural(Math.round(stream.samples), "frame", "frames")}.`;
  const what = stream.isPresence ? "presence" : "the correction";
  const over =
    (stream.axis === "number" ? "In this stream" : `Over ${lengthOf(stream)}`) +
    (stream.regions ? ", in regions of the frames," : "");
  if (!stream.hasPlain)
    return [
      `${over} there are ${plural(stream.results, "result", "results")}. `,
      "They come from an older version and do not contain what CLIP alone would have shown.",
    ];
  if (stream.changed === 0)
    return [
      `${over} ${what} changed `,
      make("strong", {}, "nothing"),
      ` in ${plural(stream.results, "result", "results")}. ${samples}`,
    ];
  const added = mostOf(stream.labels, "added")
    .slice(0, 2)
    .map((row) => changeWords(row, "added"));
  const removed = mostOf(stream.labels, "removed")
    .slice(0, 2)
    .map((row) => changeWords(row, "removed"));
  const parts = [];
  if (added.length > 0) parts.push(["it added ", ...listed(added)]);
  if (removed.length > 0) parts.push(["it removed ", ...listed(removed)]);
  return [
    `${over} ${what} changed `,
    make("strong", {}, `${count(stream.changed)} of ${plural(stream.results, "result", "results")}`),
    ": ",
    ...parts.flatMap((part, i) => (i === 0 ? part : ["; ", ...part])),
    `. ${samples}`,
  ];
}

function tile(value, words, more = null) {
  return make(
    "div",
    { class: "tile card" },
    make("span", { class: "value" }, value),
    make("span", { class: "words" }, words),
    more ? make("span", { class: "hint" }, more) : null,
  );
}

function tiles(stream) {
  const all = [
    tile(
      count(stream.results),
      stream.results === 1 ? "result" : "results",
      stream.axis === "number" ? null : `over ${lengthOf(stream)}`,
    ),
    tile(count(stream.labels.length), stream.labels.length === 1 ? "label seen" : "labels seen"),
  ];
  if (stream.hasPlain) {
    all.push(tile(percent(stream.changed / stream.results), "of results changed"));
    const sum = (what) => stream.labels.reduce((total, row) => total + row[what], 0);
    all.push(
      tile(
        `+${count(sum("added"))}  −${count(sum("removed"))}`,
        "labels added, removed",
        `${count(sum("kept"))} shown by both`,
      ),
    );
    if (!stream.regions && stream.axis !== "number")
      all.push(
        tile(
          `${decimals(perMinute(stream.plain_switches, stream))} → ${decimals(perMinute(stream.switches, stream))}`,
          "label switches per minute",
          `flicker: plain CLIP → ${afterName(stream)}`,
        ),
      );
  }
  return all;
}

// The labels of a result as bars: plain CLIP's on the left, the corrected ones on the right.
function comparison(scores, stream) {
  const side = (title, shown, probability, kind) => {
    const bars = scores
      .filter((score) => score[shown])
      .sort((x, y) => y[probability] - x[probability])
      .slice(0, 6);
    return make(
      "div",
      { class: "side" },
      make("h4", {}, title),
      bars.length === 0
        ? make("p", { class: "hint" }, "no label")
        : make(
            "ul",
            { class: "bars" },
            bars.map((score) => bar(score.label, score[probability], kind(score))),
          ),
    );
  };
  return make(
    "div",
    { class: "sides" },
    side("Plain CLIP", "plain_shown", "plain_probability", (score) => (score.shown ? "kept" : "removed")),
    side(stream.isPresence ? "Presence" : "Corrected", "shown", "probability", (score) => (score.plain_shown ? "kept" : "added")),
  );
}

function bar(label, probability, kind) {
  const fillBar = make("span", { class: `bar ${kind}` });
  fillBar.style.width = `${(probability ?? 0) * 100}%`;
  return make(
    "li",
    {},
    make("span", { class: "track" }, fillBar),
    nameNode(label),
    make("span", { class: "number" }, percent(probability)),
  );
}

// The largest change of one label: a picture, and the labels before and after.
function momentCard(stream, moment) {
  const what = moment.added ? "added" : "removed";
  return make(
    "article",
    { class: "card moment" },
    thumbnail(moment.pts),
    make(
      "div",
      { class: "body" },
      make("h3", {}, `At ${clock(moment.time)} `, nameNode(moment.label, what), ` is ${what}`),
      comparison(moment.scores, stream),
      make("p", { class: "hint" }, ...because(stream.rowOf.get(moment.label), what)),
      make(
        "button",
        { type: "button", onclick: () => goTo(stream.stepAt(moment.time), moment.label) },
        "Show in the timeline",
      ),
    ),
  );
}

// The same with decision=presence: the prior, the label's own evidence, and the context word that matched better.
function presenceReasons(row, what, reasons) {
  const start = reasons.count === 1 ? "It had" : "On average it had";
  const prior = `${start} a prior of ${percent(reasons.prior)} given the rest of the frame`;
  const verdict = `an evidence of ${signed(reasons.evidence)}, together ${percent(reasons.probability)}`;
  const threshold =
    view.stream.threshold === null
      ? "."
      : what === "added"
        ? `; the threshold is ${percent(view.stream.threshold)}, while plain CLIP's softmax gave others a larger share.`
        : `; the threshold is ${percent(view.stream.threshold)}.`;
  const words = [`${prior} and ${verdict}${threshold}`];
  if (reasons.context >= 0 && what === "removed")
    words.push(
      reasons.context_count === row[what]
        ? " Each time "
        : ` In ${count(reasons.context_count)} of ${count(row[what])} results `,
      contextNode(reasons.context),
      " matched the frame better than any label.",
    );
  return words;
}

// Why a label was changed, as far as known: by what was learnt at the time. What was learnt by the end may differ.
function because(row, what) {
  const reasons = row[`${what}_why`];
  if (reasons) return presenceReasons(row, what, reasons);
  const cause = row[`${what}_by`].find((each) => each.anchor >= 0);
  if (!cause) return ["Its anchor is unknown."];
  const when = cause.count === row[what] ? "Each time" : `${count(cause.count)} of ${count(row[what])} times`;
  if (cause.anchor === row.label)
    return [
      `${when} it was the most confident label itself: what was learnt from the stream raised other labels, which took its share.`,
    ];
  const start = [`${when} the most confident label was `, nameNode(cause.anchor)];
  if (cause.correction === null)
    return [...start, ". The size of the correction is unknown.", ...byTheEnd(row, cause)];
  // Probabilities add up to 1: a raised label can still lose if others were raised more.
  const isRaised = cause.correction >= 0;
  if (!changesOdds(cause.correction))
    return [
      ...start,
      ": what was learnt by then hardly changed the odds of ",
      nameNode(row.label),
      `, but ${what === "added" ? "lowered" : "raised"} others.`,
      ...byTheEnd(row, cause),
    ];
  const despite = isRaised === (what === "added") ? "." : `; others were ${isRaised ? "raised" : "lowered"} more.`;
  return [
    ...start,
    `: what was learnt by then ${isRaised ? "multiplied" : "divided"} the odds of `,
    nameNode(row.label),
    ` by ${decimals(Math.exp(Math.abs(cause.correction)))}${cause.count > 1 ? " on average" : ""}${despite}`,
    ...byTheEnd(row, cause),
  ];
}

// Whether this correction changes the odds visibly.
function changesOdds(correction) {
  return correction !== null && decimals(Math.exp(Math.abs(correction))) !== "1";
}

function byTheEnd(row, cause) {
  if (cause.pmi === null) return [];
  const isTurned = changesOdds(cause.correction) && changesOdds(cause.pmi) && cause.pmi >= 0 !== cause.correction >= 0;
  return [
    ` By the end of the stream ${isTurned ? "this had reversed: " : ""}`,
    nameNode(row.label),
    ` was ${cause.pmi >= 0 ? "" : "only "}${decimals(Math.exp(cause.pmi))} times as likely with it as without it.`,
  ];
}

function goTo(step, label) {
  view.setLabel(label);
  view.setStep(step);
  byId("timeline").scrollIntoView({ behavior: "auto" });
  byId("timeline-frame").focus({ preventScroll: true });
}

// What a careful reader should check. Each an item with its evidence.
function secondLooks(stream) {
  const items = [];
  const showAt = (time, row) =>
    make(
      "button",
      { type: "button", class: "small", onclick: () => goTo(stream.stepAt(time), row.label) },
      "Show",
    );
  const show = (row, isWanted) => {
    const example = row.examples.find(isWanted) ?? row.examples[0];
    return example ? showAt(example.time, row) : null;
  };
  // The labels that have most of `what`, each as an item, and how many more there are.
  const odd = (what, itemOf) => {
    const rows = stream.labels.filter((row) => row[what]).sort((a, b) => b[what].count - a[what].count);
    for (const row of rows.slice(0, 3)) items.push([...itemOf(row, row[what]), showAt(row[what].time, row)]);
    if (rows.length > 3)
      items.push([`The same is true of ${plural(rows.length - 3, "more label", "more labels")}.`]);
  };
  const sure = mostOf(stream.labels, "sure_removed");
  for (const row of sure.slice(0, 5))
    items.push([
      "Plain CLIP was sure (",
      percent(view.data.sure),
      " or more) of ",
      nameNode(row.label),
      ` ${times(row.sure_removed)} when it was removed. `,
      show(row, (each) => !each.added && each.plain_probability >= view.data.sure),
    ]);
  if (sure.length > 5)
    items.push([
      `The same is true of ${plural(sure.length - 5, "more label", "more labels")}; see the table of changes.`,
    ]);
  if (stream.emptied > 0)
    items.push([
      `${plural(stream.emptied, "result shows", "results show")} no label, where plain CLIP showed one.`,
    ]);
  if (!stream.regions && stream.axis !== "number") {
    odd("torn", (row, { count, time }) => [
      nameNode(row.label),
      ` was removed ${times(count)}${count === 1 ? " at" : ", as at"} ${clock(time)}, although plain CLIP and `,
      `${stream.isPresence ? "presence" : "the corrected labels"} both show it less than a second before or after: `,
      `${stream.isPresence ? "presence" : "the correction"} may have made a gap. `,
    ]);
    odd("flashed", (row, { count, time }) => [
      nameNode(row.label),
      ` was added for a single result ${times(count)}${count === 1 ? " at" : ", as at"} ${clock(time)}, but is not in `,
      "the results before and after: it only flashes. ",
    ]);
    if (stream.switches > stream.plain_switches)
      items.push([
        `In all, labels switch on and off more often: ${times(stream.switches)} instead of `,
        `${stream.plain_switches === 0 ? "never" : times(stream.plain_switches)}.`,
      ]);
    const restless = stream.labels
      .filter((row) => row.switches >= row.plain_switches + 4 && row.switches > 1.25 * row.plain_switches)
      .sort((a, b) => b.switches - b.plain_switches - a.switches + a.plain_switches);
    for (const row of restless.slice(0, 3))
      items.push([
        nameNode(row.label),
        ` switches ${times(row.switches)} instead of ${row.plain_switches === 0 ? "never" : times(row.plain_switches)}. `,
        show(row, () => true),
      ]);
  }
  if (stream.uncalibrated > 0)
    items.push([
      `${plural(stream.uncalibrated, "result is", "results are")} not calibrated: probabilities rank the labels, and 70% does `,
      "not mean 7 of 10. More context words help, or gst-bcp model calibrate.",
    ]);
  if (stream.unsettled > 0 && !stream.isPresence)
    items.push([
      `${plural(stream.unsettled, "result was", "results were")} changed while fewer than ${view.data.few_samples} `,
      "frames had been learnt: early corrections rest on little.",
    ]);
  return items;
}

function drawSummary() {
  const stream = view.stream;
  fill(byId("headline"), ...headline(stream));
  for (const rule of ["softmax", "presence"]) byId(`lede-${rule}`).hidden = stream.isPresence !== (rule === "presence");
  fill(byId("tiles"), ...tiles(stream));
  fill(byId("moments"), ...stream.moments.map((moment) => momentCard(stream, moment)));
  const looks = stream.hasPlain ? secondLooks(stream) : [];
  fill(
    byId("second-look"),
    make("h3", {}, "Worth a second look"),
    looks.length > 0
      ? make(
          "ul",
          {},
          looks.map((item) => make("li", {}, ...item)),
        )
      : make(
          "p",
          {},
          stream.hasPlain
            ? "No suspicious changes: no label that plain CLIP was confident of was removed, no result lost all labels, no label has a " +
                "short gap or flashes, labels do not switch more often, and nothing was changed with few learnt frames."
            : "This file does not contain what plain CLIP would have shown: only results of the current version do.",
        ),
  );
  byId("second-look").classList.toggle("warns", looks.length > 0);
}

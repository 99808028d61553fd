// SPDX-License-Identifier: LGPL-2.1-or-later
// The chosen point in time: the slider, what is shown there, and a sentence for screen readers.

function stateOf(entry) {
  if (entry.results > 1) {
    const parts = [
      [entry.kept, "by both"],
      [entry.added, "added"],
      [entry.removed, "removed"],
    ];
    return parts
      .filter(([number]) => number > 0)
      .map(([number, word]) => `${word} ${number}/${entry.results}`)
      .join(", ");
  }
  return entry.added ? "added" : entry.removed ? "removed" : entry.kept ? "shown by both" : "not shown";
}

function kindOf(entry) {
  const { kept, added, removed } = entry;
  if (kept + added + removed === 0) return "unshown";
  return added >= kept && added >= removed ? "added" : removed >= kept ? "removed" : "kept";
}

function anchorWords(stream, step) {
  const anchor = stream.steps.anchor[step];
  if (anchor < 0)
    return [
      stream.unanchored > 0
        ? "No anchor: no label was confident enough, or the method has no anchors."
        : "No label was confident enough to be the anchor: nothing was corrected.",
    ];
  const probability = stream.steps.anchorProbability[step];
  return [
    "Anchor (the most confident label): ",
    nameNode(anchor),
    probability === kUnknown ? "" : ` ${percent(probability / 65534)}`,
  ];
}

// The context word that matches the frame better than any label; null if a label matches best.
function contextWords(stream, step) {
  const context = stream.steps.context[step];
  if (context < 0) return [];
  const weight = share(stream.steps.contextWeight[step]);
  const { results, explained } = stream.steps;
  return [
    "Context: ",
    contextNode(context),
    weight === null ? "" : ` ${percent(weight)}`,
    results[step] > 1 ? ` (in ${explained[step]} of ${results[step]} results a context word matches best)` : "",
  ];
}

// The threshold of labels at a step.
function thresholdWords(stream, step) {
  const threshold = stream.steps.threshold[step];
  return Number.isNaN(threshold) ? "" : `Shown if at least ${percent(threshold)}, unless a label has its own threshold.`;
}

// The reason for a label's probability, with decision=presence.
function reasonWords(entry) {
  return entry.prior === null ? null : `prior ${percent(entry.prior)}, evidence ${signed(entry.evidence)}`;
}

function entryTable(entries, stream) {
  const { hasPlain, isPresence } = stream;
  const [before, after] = isPresence ? ["Plain CLIP", "Presence"] : ["Before", hasPlain ? "After" : "Probability"];
  const titles = ["Label", ...(hasPlain ? [before] : []), after, ...(isPresence ? [] : ["Correction"])];
  return make(
    "table",
    { class: "entries" },
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        titles.map((title) => make("th", { scope: "col" }, title)),
      ),
    ),
    make(
      "tbody",
      {},
      entries.map((entry) =>
        make(
          "tr",
          { class: kindOf(entry) },
          make(
            "th",
            { scope: "row" },
            nameNode(entry.label),
            make("span", { class: "state" }, hasPlain || entry.kept === 0 ? stateOf(entry) : "shown"),
            entry.prior === null ? null : make("span", { class: "reason" }, reasonWords(entry)),
          ),
          hasPlain ? make("td", {}, percent(entry.plain)) : null,
          make("td", {}, percent(entry.probability)),
          isPresence ? null : make("td", {}, signed(entry.correction)),
        ),
      ),
    ),
  );
}

function drawInspector() {
  const { stream, step } = view;
  const { time, until, results, samples, pts } = stream.steps;
  const entries = stream.entriesAt(step);
  const most = 12;
  fill(
    byId("inspector"),
    make("h3", {}, `At ${clock(time[step])}`),
    thumbnail(pts[step]),
    results[step] > 1
      ? make(
          "p",
          { class: "hint" },
          `${results[step]} results until ${clock(until[step])}, combined: probabilities are means.`,
        )
      : null,
    stream.isPresence ? null : make("p", {}, ...anchorWords(stream, step)),
    stream.steps.context[step] < 0 ? null : make("p", {}, ...contextWords(stream, step)),
    entries.length === 0
      ? make("p", {}, "Neither shows a label.")
      : entryTable(entries.slice(0, most), stream),
    stream.isPresence ? make("p", { class: "hint" }, thresholdWords(stream, step)) : null,
    entries.length > most ? make("p", { class: "hint" }, `and ${entries.length - most} more`) : null,
    make("p", { class: "hint" }, `Learnt from ${plural(Math.round(samples[step]), "frame", "frames")} by then.`),
  );
}

// What is shown at the chosen time, as a sentence.
function spoken(stream, step) {
  const entries = stream.entriesAt(step);
  const names = (isWanted) =>
    entries.filter(isWanted).map((entry) => `${nameOf(entry.label)} ${percent(entry.probability)}`);
  const shown = names((entry) => entry.kept + entry.added > 0);
  const added = entries.filter((entry) => entry.added > 0).map((entry) => nameOf(entry.label));
  const removed = entries.filter((entry) => entry.removed > 0).map((entry) => nameOf(entry.label));
  const parts = [`At ${clock(stream.steps.time[step])}: ${shown.length > 0 ? shown.join(", ") : "no label"}`];
  if (added.length > 0) parts.push(`added: ${added.join(", ")}`);
  if (removed.length > 0) parts.push(`removed: ${removed.join(", ")}`);
  const context = stream.steps.context[step];
  if (context >= 0) parts.push(`context: ${visible(view.data.contexts[context])}`);
  return `${parts.join("; ")}.`;
}

const announce = settled(() => {
  byId("announcer").textContent = spoken(view.stream, view.step);
}, 300);

function watchCursor() {
  const scrubber = byId("scrubber");
  scrubber.addEventListener("input", () => view.setStep(Number(scrubber.value)));
  const follow = () => {
    scrubber.max = String(view.stream.length - 1);
    scrubber.value = String(view.step);
    scrubber.setAttribute("aria-valuetext", clock(view.stream.steps.time[view.step]));
    drawInspector();
  };
  view.on("stream", follow);
  view.on("step", () => {
    follow();
    announce();
  });
}

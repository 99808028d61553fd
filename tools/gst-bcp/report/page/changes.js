// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of changes: label by label, how often and why, with example moments.

const changes = { sort: "changed", isUp: false, most: 25, open: null };

// The anchor of a row: that of its more frequent kind of change.
function mainCause(row) {
  const causes = row.added >= row.removed ? row.added_by : row.removed_by;
  return causes.find((cause) => cause.anchor >= 0) ?? null;
}

function anchorCell(row) {
  const cause = mainCause(row);
  if (!cause) return "–";
  return cause.anchor === row.label ? "as the anchor itself" : nameNode(cause.anchor);
}

const kChangeColumns = [
  { key: "name", title: "Label", of: (row) => nameOf(row.label) },
  { key: "changed", title: "Changed", of: (row) => row.added + row.removed, show: (row) => shareBar(row) },
  { key: "added", title: "Added", of: (row) => row.added },
  { key: "removed", title: "Removed", of: (row) => row.removed },
  { key: "kept", title: "By both", of: (row) => row.kept },
  {
    key: "prior",
    title: "Prior",
    of: (row) => row.prior ?? 0,
    show: (row) => percent(row.prior),
    hint: "how likely it was given the rest of the frames: mean over the changed results",
  },
  {
    key: "evidence",
    title: "Evidence",
    of: (row) => row.evidence ?? 0,
    show: (row) => signed(row.evidence),
    hint: "log of how much better it matches than a random word: mean over the changed results",
  },
  {
    key: "correction",
    title: "Mean correction",
    of: (row) => row.correction ?? 0,
    show: (row) => signed(row.correction),
  },
  {
    key: "anchor",
    title: "Mostly with",
    of: (row) => (mainCause(row) ? nameOf(mainCause(row).anchor) : ""),
    show: (row) => anchorCell(row),
  },
  {
    key: "pmi",
    title: "PMI",
    of: (row) => mainCause(row)?.pmi ?? 0,
    show: (row) => signed(mainCause(row)?.pmi ?? null, 2),
    hint: "log of how much more likely the label is with that anchor than without",
  },
  {
    key: "switches",
    title: "Switches",
    of: (row) => row.switches - row.plain_switches,
    show: (row) => `${row.plain_switches} → ${row.switches}`,
    hint: "times it went on or off: plain CLIP → what is shown",
  },
];

function shareBar(row) {
  const total = row.added + row.removed + row.kept;
  const part = (kind) => {
    const span = make("span", { class: kind });
    span.style.flexGrow = String(row[kind] / total);
    return row[kind] > 0 ? span : null;
  };
  return make(
    "span",
    { class: "share-cell" },
    make("span", { class: "number" }, count(row.added + row.removed)),
    make("span", { class: "share", "aria-hidden": "true" }, part("kept"), part("added"), part("removed")),
  );
}

function changeColumns() {
  const { isPresence } = view.stream;
  const isLeftOut = (key) =>
    (!isPresence && ["prior", "evidence"].includes(key)) ||
    (isPresence && ["correction", "anchor", "pmi"].includes(key)) ||
    (key === "pmi" && !view.data.prior) ||
    (key === "switches" && (view.stream.regions || view.stream.axis === "number"));
  return kChangeColumns.filter((column) => !isLeftOut(column.key));
}

function sortedChanges() {
  const wanted = byId("changes-search").value.trim().toLowerCase();
  const all = byId("changes-all").checked;
  const rows = view.stream.labels.filter(
    (row) => (all || row.added + row.removed > 0) && nameOf(row.label).toLowerCase().includes(wanted),
  );
  const { of } = kChangeColumns.find((column) => column.key === changes.sort);
  const compare = (a, b) => (typeof of(a) === "string" ? of(a).localeCompare(of(b)) : of(a) - of(b));
  return rows.sort((a, b) => (changes.isUp ? compare(a, b) : compare(b, a)) || b.seconds - a.seconds);
}

function exampleCard(row, example) {
  const step = view.stream.stepAt(example.time);
  const kind = example.added ? "added" : "removed";
  return make(
    "button",
    { type: "button", class: "example", onclick: () => goTo(step, row.label) },
    thumbnail(example.pts),
    make("span", {}, make("strong", {}, clock(example.time)), " ", make("span", { class: kind }, kind)),
    make(
      "span",
      { class: "hint" },
      `${percent(example.plain_probability)} → ${percent(example.probability)}`,
      ...(example.anchor >= 0 && !view.stream.isPresence ? [" with ", nameNode(example.anchor)] : []),
    ),
  );
}

function whyRow(row, columns, id) {
  const reasons = [];
  if (row.added > 0)
    reasons.push(
      make("p", {}, make("strong", { class: "added" }, `Added ${times(row.added)}. `), ...because(row, "added")),
    );
  if (row.removed > 0)
    reasons.push(
      make(
        "p",
        {},
        make("strong", { class: "removed" }, `Removed ${times(row.removed)}. `),
        ...because(row, "removed"),
      ),
    );
  if (row.sure_removed > 0)
    reasons.push(make("p", {}, `Plain CLIP was confident of it ${times(row.sure_removed)} when it was removed.`));
  if (reasons.length === 0) reasons.push(make("p", {}, "The correction never changed whether it is shown."));
  return make(
    "tr",
    { class: "why", id },
    make(
      "td",
      { colspan: columns.length },
      ...reasons,
      make(
        "div",
        { class: "examples" },
        row.examples.map((example) => exampleCard(row, example)),
      ),
    ),
  );
}

function changeRow(row, columns) {
  const isOpen = changes.open === row.label;
  const id = `why-${row.label}`;
  const toggle = () => {
    changes.open = isOpen ? null : row.label;
    drawChanges(`row-${row.label}`);
  };
  const cells = columns.map((column) => {
    if (column.key === "name")
      return make(
        "th",
        { scope: "row" },
        make(
          "button",
          {
            type: "button",
            class: "plain",
            "data-key": `row-${row.label}`,
            "aria-expanded": String(isOpen),
            "aria-controls": isOpen ? id : null,
            onclick: (event) => {
              event.stopPropagation();
              toggle();
            },
          },
          make("span", { "aria-hidden": "true", class: "marker" }, isOpen ? "▾ " : "▸ "),
          nameNode(row.label),
        ),
      );
    return make("td", {}, column.show ? column.show(row) : count(column.of(row)));
  });
  const line = make("tr", { class: "clickable", onclick: toggle }, ...cells);
  return isOpen ? [line, whyRow(row, columns, id)] : [line];
}

// `focus` names the button that gets the focus again after the table is rebuilt.
function drawChanges(focus = null) {
  const place = byId("changes-table");
  const { stream } = view;
  const rows = sortedChanges();
  if (rows.length === 0) {
    const isSearch = byId("changes-search").value.trim() !== "";
    fill(
      place,
      make(
        "p",
        {},
        isSearch
          ? "No label has this name."
          : stream.hasPlain
            ? "The correction changed no label."
            : "This file does not contain what plain CLIP would have shown.",
      ),
    );
    return;
  }
  const columns = changeColumns();
  const table = make(
    "table",
    { class: "changes" },
    make("caption", { class: "visually-hidden" }, "Labels and what the correction did to them; counts are results"),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        columns.map((column) => sortHeading(column, changes, drawChanges)),
      ),
    ),
    make(
      "tbody",
      {},
      rows.slice(0, changes.most).flatMap((row) => changeRow(row, columns)),
    ),
  );
  fill(
    place,
    table,
    rows.length > changes.most
      ? make(
          "button",
          {
            type: "button",
            onclick: () => {
              changes.most = Infinity;
              drawChanges();
            },
          },
          `Show all ${count(rows.length)} labels`,
        )
      : null,
  );
  if (focus) place.querySelector(`[data-key="${focus}"]`)?.focus();
}

function watchChanges() {
  byId("changes-search").addEventListener(
    "input",
    settled(() => drawChanges()),
  );
  byId("changes-all").addEventListener("change", () => drawChanges());
  view.on("stream", () => {
    changes.open = null;
    drawChanges();
  });
  let before = changes.most;
  addEventListener("beforeprint", () => {
    before = changes.most;
    changes.most = 200;
    drawChanges();
  });
  addEventListener("afterprint", () => {
    changes.most = before;
    drawChanges();
  });
}

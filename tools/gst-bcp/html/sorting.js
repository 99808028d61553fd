// SPDX-License-Identifier: LGPL-2.1-or-later
// Headings that sort a table.

// A heading that sorts. The first click sorts names ascending and numbers descending.
function sortHeading(column, sorting, redraw) {
  const isSorted = sorting.sort === column.key;
  const arrow = !isSorted ? "" : sorting.isUp ? " ▲" : " ▼";
  const click = () => {
    sorting.isUp = isSorted ? !sorting.isUp : column.key === "name" || column.key === "anchor";
    sorting.sort = column.key;
    redraw(column.key);
  };
  return make(
    "th",
    { scope: "col", "aria-sort": !isSorted ? null : sorting.isUp ? "ascending" : "descending" },
    make(
      "button",
      { type: "button", class: "plain", "data-key": column.key, title: column.hint ?? null, onclick: click },
      column.title,
      make("span", { "aria-hidden": "true" }, arrow),
    ),
  );
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// The main table: every method, under both rankings.

function gainCell(method, ranking) {
  if (method === "zero_shot") return make("td", {}, "");
  const change = gain(view.data, method, ranking);
  const kind = !isVisible(change) ? null : change > 0 ? "gain" : "loss";
  return make("td", { class: kind }, signed(change, 2));
}

function drawMethods() {
  const methods = methodsOf(view.data);
  const highest = Object.fromEntries(
    kRankings.map((ranking) => [
      ranking,
      Math.max(...methods.map((method) => score(view.data, method, ranking) ?? -1)),
    ]),
  );
  const heading = (text, span = null) => make("th", { scope: span ? "colgroup" : "col", colspan: span }, text);
  fill(
    byId("methods-table"),
    make(
      "table",
      {},
      make("caption", { class: "visually-hidden" }, "mAP of every method, ranked by logits and by softmax"),
      make(
        "thead",
        {},
        make("tr", { class: "rankings" }, make("td", {}), heading("Logits", 2), heading("Softmax", 2)),
        make("tr", {}, heading("Method"), ...kRankings.flatMap(() => [heading("mAP"), heading("gain")])),
      ),
      make(
        "tbody",
        {},
        methods.map((method) =>
          make(
            "tr",
            { "data-method": method },
            make("th", { scope: "row" }, keyOf(method), methodName(method)),
            ...kRankings.flatMap((ranking) => {
              const value = score(view.data, method, ranking);
              const isBest = value !== null && value === highest[ranking];
              return [make("td", { class: isBest ? "best" : null }, hundredths(value)), gainCell(method, ranking)];
            }),
          ),
        ),
      ),
    ),
    make(
      "p",
      { class: "hint" },
      "Gains are against plain CLIP under the same ranking; the best of each ranking is bold.",
    ),
  );
}

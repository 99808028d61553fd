// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts all parts.

const kRankingWords = {
  logits: "as in the paper: a label's raw score, compared across pictures",
  softmax: "a label's share of the probability in its picture, compared across pictures",
};

function watchRanking() {
  for (const input of document.querySelectorAll("#ranking input")) {
    input.checked = input.value === view.ranking;
    input.addEventListener("change", () => view.setRanking(input.value));
  }
  const update = () => fill(byId("ranking-words"), kRankingWords[view.ranking]);
  view.on("ranking", update);
  update();
}

function drawProtocols() {
  const figures = [...sweeps(), orderings(), ...groups(), ceilingFigure(), timeFigure(), ...otherFigures()].filter(
    (each) => each !== null,
  );
  byId("protocols").hidden = figures.length === 0;
  fill(byId("protocols-body"), ...figures);
}

// Links to the parts of this page.
function drawParts() {
  const parts = {
    summary: "Summary",
    methods: "Methods",
    labels: "Labels",
    protocols: "Protocols",
    decision: "Labels shown",
    video: "Video",
    cooccurrence: "What was learnt",
    facts: "How to reproduce it",
  };
  fill(
    byId("parts"),
    Object.entries(parts)
      .filter(([id]) => !byId(id).hidden)
      .map(([id, title]) => make("a", { href: `#${id}` }, title)),
  );
}

function start() {
  view.data = JSON.parse(byId("data").textContent);
  view.ranking = kRankings.includes(view.data.settings.score) ? view.data.settings.score : "logits";
  showLicence();
  fill(
    byId("notices"),
    (view.data.warnings ?? []).map((warning) => make("p", { class: "notice" }, visible(warning))),
  );
  watchTheme();
  watchRanking();
  drawSummary();
  drawMethods();
  drawLabels();
  drawProtocols();
  drawDecision();
  drawVideo();
  drawHeatMap();
  byId("ranking").hidden = byId("labels").hidden && byId("protocols").hidden;
  drawFacts();
  drawParts();
  addEventListener("scroll", hideTooltip, { passive: true });
  queueMicrotask(() => (document.documentElement.dataset.ready = "true"));
}

start();

// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts all parts.

function notices() {
  const { file, streams, video } = view.data;
  const all = [];
  if (file.skipped > 0)
    all.push(
      make(
        "p",
        { class: "notice" },
        `${plural(file.skipped, "line of the file", "lines of the file")} could not be read and `,
        file.skipped === 1 ? "is ignored: " : "are ignored: ",
        make("code", {}, visible(file.faults[0])),
        file.skipped > 1 ? " and others (see the end of the page)." : ".",
      ),
    );
  if (file.older > 0)
    all.push(
      make(
        "p",
        { class: "notice" },
        file.older === file.results ? "The results were" : plural(file.older, "result was", "results were"),
        " written by an older version, without what plain CLIP would have shown: ",
        "these count as unchanged.",
      ),
    );
  if (video.remark !== "")
    all.push(make("p", { class: "notice" }, `${visible(video.remark[0].toUpperCase() + video.remark.slice(1))}.`));
  if (streams.length > 1)
    all.push(make("p", { class: "notice calm" }, `The file contains ${streams.length} streams. Choose one at the top.`));
  return all;
}

function watchSource() {
  const select = byId("source");
  byId("source-control").hidden = view.data.streams.length < 2;
  fill(
    select,
    view.data.streams.map((stream, i) =>
      make("option", { value: i }, `${sourceName(stream)}: ${plural(stream.results, "result", "results")}`),
    ),
  );
  select.addEventListener("change", () => view.setStream(view.data.streams[Number(select.value)]));
}

function start() {
  view.data = loadData();
  view.stream = view.data.streams[0];
  showLicence();
  fill(byId("notices"), ...notices());
  prepareThumbnails();
  watchTheme();
  watchSource();
  watchCursor();
  watchTimeline();
  watchChanges();
  watchPrior();
  view.on("stream", drawSummary);
  view.on("stream", drawFacts);
  view.setStream(view.stream);
  document.documentElement.dataset.ready = "true";
}

start();

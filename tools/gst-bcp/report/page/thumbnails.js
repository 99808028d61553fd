// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures of the video: all are on one sheet, which the style sheet contains once.

function prepareThumbnails() {
  const sheet = view.data.thumbnails;
  if (!sheet) return;
  const down = Math.ceil(sheet.times.length / sheet.across);
  document.head.append(
    make(
      "style",
      {},
      `.thumbnail { background-image: url("${sheet.image}"); aspect-ratio: ${sheet.width} / ${sheet.height};` +
        ` background-size: ${sheet.across * 100}% ${down * 100}% }`,
    ),
  );
}

function hasThumbnails() {
  const { thumbnails, thumbnails_of: source } = view.data;
  return thumbnails !== null && view.stream.source === source && view.stream.axis === "pts";
}

// The picture nearest to `pts`, or null if there are no pictures.
function thumbnail(pts) {
  if (!hasThumbnails() || pts === null || Number.isNaN(pts)) return null;
  const { times: at, across } = view.data.thumbnails;
  let nearest = 0;
  at.forEach((time, i) => {
    if (Math.abs(time - pts) < Math.abs(at[nearest] - pts)) nearest = i;
  });
  const down = Math.ceil(at.length / across);
  const x = across > 1 ? (nearest % across) / (across - 1) : 0;
  const y = down > 1 ? Math.floor(nearest / across) / (down - 1) : 0;
  const picture = make("div", { class: "thumbnail", role: "img", "aria-label": `The video at ${clock(at[nearest])}` });
  picture.style.backgroundPosition = `${x * 100}% ${y * 100}%`;
  const isOff = Math.abs(at[nearest] - pts) > 1;
  return make(
    "div",
    { class: "picture" },
    picture,
    isOff ? make("span", { class: "hint" }, `nearest picture: ${clock(at[nearest])}`) : null,
  );
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// All cameras, small: a picture, the state, and the labels that are shown. One button each, which chooses the camera.

const tiles = new Map(); // by camera id

function makeTile(id) {
  const image = make("img", { alt: "", width: 320, height: 180 });
  const badge = make("span", { class: "badge" });
  const name = make("bdi", { class: "name" });
  const labels = make("span", { class: "tile-labels" });
  const button = make("button", { type: "button", class: "tile-button", onclick: () => choose(id) }, image,
    make("span", { class: "tile-line" }, name, badge), labels);
  const item = make("li", {}, button);
  byId("tiles-list").append(item);
  watchPicture(image, id);
  return { image, badge, name, labels, button, item };
}

function drawTiles() {
  byId("overview").hidden = cameras.size < 2;
  byId("nothing").hidden = cameras.size > 0;
  if (cameras.size < 2) return;
  for (const [id, camera] of cameras) {
    if (!tiles.has(id)) tiles.set(id, makeTile(id));
    const tile = tiles.get(id);
    tile.name.textContent = visible(camera.state.name);
    drawBadge(tile.badge, camera.state);
    const shown = camera.state.connection === "live" ? (camera.result?.labels ?? []).filter((label) => label.shown) : [];
    tile.labels.textContent = shown.length > 0 ? shown.map((label) => `${visible(label.name)} ${percent(label.p)}`).join(", ") : "nothing";
    tile.button.setAttribute("aria-pressed", String(id === chosen.id));
  }
}

function drawBadge(badge, state) {
  badge.textContent = connectionText(state);
  badge.dataset.state = state.connection;
}

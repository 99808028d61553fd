// SPDX-License-Identifier: LGPL-2.1-or-later
// The live page: reads the state, follows the events, draws what changes.

function choose(id, { scroll = true } = {}) {
  if (!cameras.has(id)) return;
  const isNew = chosen.id !== id;
  chosen.id = id;
  history.replaceState(null, "", `#camera-${id}`);
  if (isNew) {
    clearNow();
    byId("words-status").textContent = byId("settings-status").textContent = "";
    byId("big").removeAttribute("src");
    byId("big-wait").hidden = false;
    watchPicture(byId("big"), id);
    byId("learnt-body").replaceChildren();
    learnt.key = "";
    readLearnt();
    readRecordings();
  }
  drawAll();
  if (scroll && cameras.size > 1) byId("detail").scrollIntoView({ block: "start" });
}

function drawHead() {
  const state = chosenCamera()?.state;
  byId("detail").hidden = !state;
  if (!state) return;
  byId("camera-name").textContent = visible(state.name);
  drawBadge(byId("camera-badge"), state);
  const rate = state.rates?.["frames-per-second"];
  byId("camera-rate").textContent = rate && state.connection === "live" ? `${decimals(rate)} frames a second` : "";
  byId("camera-reason").hidden = !state.reason;
  byId("camera-reason").textContent = sentence(state.reason ?? "");
  byId("big").alt = `live picture of ${visible(state.name)}`;
  byId("big").classList.toggle("stale", state.connection !== "live");
}

function drawState() {
  drawHead();
  drawWords();
  drawControls();
  drawLessons();
  drawCondition();
}

function drawAll() {
  drawTiles();
  drawState();
  drawNow();
  drawTimeline();
  drawEvents();
}

async function readState() {
  const state = await read("/api/state");
  takeState(state);
  byId("foot").textContent = `gst-bcp ${state.version}. This page loads nothing from other servers.`;
  const wanted = Number(/^#camera-(\d+)$/.exec(location.hash)?.[1]);
  if (!cameras.has(chosen.id) && cameras.size > 0) choose(cameras.has(wanted) ? wanted : cameras.keys().next().value, { scroll: false });
  drawAll();
}

function showLink(isThere) {
  const link = byId("link");
  link.textContent = isThere ? "connected" : "not connected: is the run still going?";
  link.dataset.state = isThere ? "live" : "lost";
}

// What may have been missed while there was no connection is read again.
let isLinked = false;
function onLink(isThere) {
  showLink(isThere);
  if (isThere && !isLinked) readState().catch(() => {});
  isLinked = isThere;
}

function followCameras() {
  followEvents({
    camera: (state) => {
      const isNew = !cameras.has(state.id);
      cameraOf(state.id).state = state;
      if (isNew && chosen.id === 0) choose(state.id, { scroll: false });
      drawTiles();
      if (state.id === chosen.id) drawState();
    },
    result: ({ camera, result }) => {
      cameraOf(camera).result = result;
      if (camera === chosen.id) drawNow();
    },
    spans: ({ camera, spans }) => {
      takeSpans(cameraOf(camera), spans);
      if (camera === chosen.id) drawEvents();
    },
    thumbnails: ({ camera, spans }) => {
      for (const id of spans) {
        const span = cameraOf(camera).spans.get(id);
        if (span) span.picture = true;
      }
      if (camera === chosen.id) drawEvents();
    },
    answer: takeAnswer,
    note: takeNote,
    resync: () => readState().catch(() => {}),
    alive: () => {},
  }, onLink);
}

function watchPictures() {
  const shownPictures = new Map(); // camera -> address of its newest picture
  pictures.onPicture = (camera, address) => {
    const images = [...document.querySelectorAll(`img[data-camera="${camera}"]`)];
    for (const image of images) image.src = address;
    if (camera === chosen.id) byId("big-wait").hidden = true;
    const before = shownPictures.get(camera);
    shownPictures.set(camera, address);
    // Freed a moment later: an element may still be reading it.
    if (before) setTimeout(() => URL.revokeObjectURL(before), 1000);
  };
}

async function start() {
  watchTheme();
  watchMissing();
  watchRanges();
  watchWords();
  watchLearnt();
  watchPictures();
  await openSession();
  const logout = byId("logout");
  logout.hidden = !session.login;
  logout.addEventListener("click", async () => {
    await change("/logout", {}).catch(() => {});
    location.assign("/login");
  });
  addEventListener("hashchange", () => choose(Number(/^#camera-(\d+)$/.exec(location.hash)?.[1])));
  await readState();
  followCameras();
  setInterval(() => {
    drawTimeline();
    drawTiles();
  }, 1000);
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  byId("link").textContent = sentence(error.message);
  byId("link").dataset.state = "lost";
});

// SPDX-License-Identifier: LGPL-2.1-or-later
// The newest events with their pictures. A picture is fetched once.

const kMostEvents = 12;
const eventCards = new Map(); // by span id

function makeEventCard(span) {
  const image = make("img", { alt: "", loading: "lazy", width: 240, height: 135 });
  const length = make("span", { class: "hint number" });
  const card = make("li", { class: "card event" }, image,
    make("span", {}, make("bdi", { class: "name" }, visible(span.label)), " ", make("span", { class: "number" }, timeOfDay(span.start))), length);
  return { card, image, length };
}

function drawEvents() {
  const camera = chosenCamera();
  const newest = camera ? [...camera.spans.values()].slice(-kMostEvents).reverse() : [];
  const ids = new Set(newest.map((span) => span.id));
  for (const [id, made] of eventCards) {
    if (ids.has(id)) continue;
    made.card.remove();
    eventCards.delete(id);
  }
  byId("events-heading").hidden = newest.length === 0;
  newest.forEach((span, i) => {
    if (!eventCards.has(span.id)) eventCards.set(span.id, makeEventCard(span));
    const made = eventCards.get(span.id);
    const until = span.open ? clock.now() : span.end;
    made.length.textContent = `${duration(until - span.start)}${span.open ? " so far" : ""}, up to ${percent(span.peak)}`;
    if (span.picture && !made.image.src) {
      made.image.src = `/thumbnail?id=${span.id}`;
      made.image.alt = `the picture when ${visible(span.label)} appeared`;
    }
    made.image.classList.toggle("empty", !made.image.src);
    if (byId("events").children[i] !== made.card) byId("events").insertBefore(made.card, byId("events").children[i] ?? null);
  });
}

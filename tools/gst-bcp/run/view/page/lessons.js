// SPDX-License-Identifier: LGPL-2.1-or-later
// Right, wrong, missing: what a person says about the frame on the screen, and what it changed.

async function teach(label, present) {
  const camera = chosenCamera();
  const status = byId("teach-status");
  if (!camera) return;
  try {
    await change("/api/feedback", { camera: camera.state.id, label, present, pts: camera.result?.pts ?? "" });
    status.textContent = `Learnt: ${visible(label)} is ${present ? "there" : "not there"}.`;
  } catch (error) {
    status.textContent = sentence(`not learnt: ${error.message}`);
  }
}

function watchMissing() {
  byId("missing").addEventListener("submit", (event) => {
    event.preventDefault();
    const label = byId("missing-label").value;
    if (label) teach(label, true);
  });
}

function lessonText(lesson) {
  const what = lesson.present ? "is there" : "is not there";
  const head = [make("bdi", { class: "name" }, visible(lesson.label)), ` ${what}. `];
  if (lesson.refusal) return [...head, make("span", { class: "removed" }, sentence(`not learnt: ${lesson.refusal}`))];
  if (!lesson.learnt) return [...head, "Sending…"];
  if (lesson.after === null || lesson.before === null) return [...head, "Learnt."];
  return [...head, "Learnt: ", make("span", { class: "number" }, `${percent(lesson.before)} → ${percent(lesson.after)}`), " in a frame like that."];
}

function drawLessons() {
  const lessons = chosenCamera()?.state.lessons ?? [];
  const list = byId("lesson-list");
  byId("lessons-none").hidden = lessons.length > 0;
  const key = JSON.stringify([chosen.id, lessons]);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  fill(list, lessons.slice(0, 5).map((lesson) => make("li", { "data-lesson": lesson.number },
    make("time", { class: "hint number" }, timeOfDay(lesson.at)), " ", make("span", {}, lessonText(lesson)))));
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Change notifications for drawing code. Every page has a `view`, made with this, that emits at least "theme".

function makeEvents(...kinds) {
  const listeners = Object.fromEntries(kinds.map((kind) => [kind, []]));
  return {
    on(what, listener) {
      listeners[what].push(listener);
    },
    emit(what) {
      for (const listener of listeners[what]) listener();
    },
  };
}

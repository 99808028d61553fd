// SPDX-License-Identifier: LGPL-2.1-or-later
// Requests to the server. Changes carry the token of this session.

const session = { token: "", login: false };

class Refused extends Error {}

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...options });
  } catch {
    throw new Refused("the run cannot be reached");
  }
  if (response.status === 401) location.assign("/login");
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(answer.error ?? `the server answered ${response.status}`);
  return answer;
}

async function openSession() {
  Object.assign(session, await request("/api/session"));
}

function read(path) {
  return request(path);
}

function change(path, body) {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Bcp-Token": session.token },
    body: JSON.stringify(body),
  });
}

// "The list is empty." of "the list is empty".
function sentence(text) {
  const whole = text.trim().replace(/\.+$/, "");
  return whole === "" ? "" : `${whole[0].toUpperCase()}${whole.slice(1)}.`;
}

// Follows the server's events; `listeners` by name. `onLink(isThere)` when the connection comes and goes.
function followEvents(listeners, onLink) {
  const source = new EventSource("/events");
  for (const [name, listener] of Object.entries(listeners)) {
    source.addEventListener(name, (event) => listener(JSON.parse(event.data)));
  }
  source.addEventListener("open", () => onLink(true));
  source.addEventListener("error", () => {
    onLink(false);
    // Refused, not lost: the browser does not try again by itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => followEvents(listeners, onLink), 3000);
  });
}

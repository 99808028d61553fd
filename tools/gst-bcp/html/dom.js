// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements. Text is always inserted as text: data is never parsed as HTML.

function byId(id) {
  return document.getElementById(id);
}

// make("p", { class: "hint", onclick: go }, "some ", make("b", {}, "text")). A null child is ignored.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// "a, b and c" of elements or texts.
function listed(items) {
  return items.flatMap((item, i) => [i === 0 ? "" : i === items.length - 1 ? " and " : ", ", item]);
}

// Calls `action` after a moment without further calls.
function settled(action, milliseconds = 150) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}

// The licence at the end of the page. It is stored as plain text, which needs no escaping.
function showLicence() {
  byId("licence").textContent = byId("licence-text").textContent;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers, lengths of time and names as people read them.

const kNumber = new Intl.NumberFormat("en");

function count(value) {
  return kNumber.format(value);
}

function times(value) {
  return value === 1 ? "once" : value === 2 ? "twice" : `${count(value)} times`;
}

function plural(value, one, many) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

function percent(share) {
  if (share === null || Number.isNaN(share)) return "unknown";
  if (share > 0 && share < 0.01) return "<1%";
  if (share < 1 && share > 0.99) return ">99%";
  return `${Math.round(share * 100)}%`;
}

function signed(value, digits = 1) {
  if (value === null || !Number.isFinite(value)) return "–";
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

function decimals(value) {
  return value >= 100 ? count(Math.round(value)) : String(Number(value.toPrecision(2)));
}

// A length: "2 min 10 s".
function duration(seconds) {
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 3600), "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  return parts
    .filter(([value]) => value > 0)
    .slice(0, 2)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ");
}

// A name that cannot affect the text around it: control characters become visible, and marks that change the direction
// of writing are removed.
function visible(name) {
  const text = name
    .replace(/[\u0000-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/\u007f/g, "\u2421")
    .replace(/[\u0080-\u009f]/g, "\ufffd")
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g, "");
  return text.trim() === "" ? "(no name)" : text;
}

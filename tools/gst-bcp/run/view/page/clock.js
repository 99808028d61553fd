// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of day. The server's clock counts: `skew` is how far this browser's is from it.

const clock = {
  skew: 0,
  set(now) {
    clock.skew = now - Date.now() / 1000;
  },
  now() {
    return Date.now() / 1000 + clock.skew;
  },
};

// "14:03:27" in the time zone of the browser.
function timeOfDay(seconds) {
  return new Date((seconds - clock.skew) * 1000).toLocaleTimeString("en-GB");
}

function bytesText(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

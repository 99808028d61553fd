// SPDX-License-Identifier: LGPL-2.1-or-later
// The rows of the timeline as blocks: [row, from, to, kept, added, removed], the last three as shares of the results.

// Combines the visible steps so that a row has no more blocks than the screen can show separately. Returns for each
// visible step its block, and for each block its bounds and the number of its results.
function partition(stream, from, to, most) {
  const { time, until, results } = stream.steps;
  const first = stream.stepAt(from);
  const last = stream.stepAt(to);
  const width = last - first + 1 > most ? (to - from) / most : 0;
  const blockOf = new Int32Array(last - first + 1);
  const blocks = [];
  let stretch = null;
  for (let step = first; step <= last; ++step) {
    const now = width > 0 ? Math.floor((time[step] - from) / width) : step;
    const previous = blocks[blocks.length - 1];
    if (now === stretch) {
      previous.to = until[step];
      previous.results += results[step];
    } else {
      blocks.push({ from: time[step], to: until[step], results: results[step] });
    }
    stretch = now;
    blockOf[step - first] = blocks.length - 1;
  }
  return { first, last, blockOf, blocks };
}

// The blocks of one label; neighbours that look the same become one.
function rowBlocks(stream, label, row, parts) {
  const { kept, added, removed } = stream.cells;
  const sums = new Map();
  for (const cell of stream.cellsOf(label)) {
    const step = stream.stepOf[cell];
    if (step < parts.first) continue;
    if (step > parts.last) break;
    if (kept[cell] + added[cell] + removed[cell] === 0) continue;
    const block = parts.blockOf[step - parts.first];
    const sum = sums.get(block) ?? [0, 0, 0];
    sums.set(block, [sum[0] + kept[cell], sum[1] + added[cell], sum[2] + removed[cell]]);
  }
  const result = [];
  for (const [block, sum] of sums) {
    const { from, to, results } = parts.blocks[block];
    const shares = sum.map((value) => value / results);
    const last = result[result.length - 1];
    const joins = last && last[2] >= from && shares.every((share, i) => share === last[3 + i]);
    if (joins) last[2] = to;
    else result.push([row, from, to, ...shares]);
  }
  return result;
}

// The probability of a label as a line, constant while a result is valid, and broken where it is unknown.
function levels(stream, label, probability) {
  const { time, until } = stream.steps;
  const points = [];
  let end = null;
  for (const cell of stream.cellsOf(label)) {
    const value = probability(cell);
    if (value === null) continue;
    const step = stream.stepOf[cell];
    if (end !== null && time[step] > end) points.push([end, null]);
    points.push([time[step], value], [until[step], value]);
    end = until[step];
  }
  return points;
}

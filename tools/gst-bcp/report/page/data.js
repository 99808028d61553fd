// SPDX-License-Identifier: LGPL-2.1-or-later
// Access to the data in the page. page_data.cpp writes it.

const kUnknown = 65535; // a probability that the results do not contain

function unpacked(text, Type) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i);
  return new Type(bytes.buffer, 0, bytes.byteLength / Type.BYTES_PER_ELEMENT);
}

// A packed probability as a number, or null if it is unknown.
function share(packed) {
  return packed === undefined || packed === kUnknown ? null : packed / 65534;
}

// One stream: steps in time, and in each step a cell for every label with data.
class Stream {
  constructor(raw) {
    Object.assign(this, raw);
    const { steps, cells } = raw.timeline;
    this.stepsAddUp = raw.timeline.most_results > 1;
    this.steps = {
      time: unpacked(steps.time, Float64Array),
      until: unpacked(steps.until, Float64Array),
      pts: unpacked(steps.pts, Float64Array),
      results: unpacked(steps.results, Uint16Array),
      anchored: unpacked(steps.anchored, Uint16Array),
      changed: unpacked(steps.changed, Uint16Array),
      anchor: unpacked(steps.anchor, Int32Array),
      anchorProbability: unpacked(steps.anchor_probability, Uint16Array),
      samples: unpacked(steps.samples, Float32Array),
      threshold: unpacked(steps.threshold, Float32Array),
      context: unpacked(steps.context, Int32Array),
      explained: unpacked(steps.explained, Uint16Array),
      contextWeight: unpacked(steps.context_weight, Uint16Array),
    };
    this.cells = {
      label: unpacked(cells.label, Uint16Array),
      kept: unpacked(cells.kept, Uint16Array),
      added: unpacked(cells.added, Uint16Array),
      removed: unpacked(cells.removed, Uint16Array),
      probability: unpacked(cells.probability, Uint16Array),
      plain: unpacked(cells.plain_probability, Uint16Array),
      correction: unpacked(cells.correction, Float32Array),
      prior: unpacked(cells.prior, Uint16Array), // empty unless decision=presence
      evidence: unpacked(cells.evidence, Float32Array),
    };
    this.length = this.steps.time.length;
    this.start = this.steps.time[0];
    this.end = this.steps.until[this.length - 1];
    this.hasPlain = raw.older < raw.results;
    this.isPresence = raw.presence > 0;
    this.index(unpacked(steps.cells, Uint32Array));
  }

  // Where the cells of a step begin, which step a cell is of, and the cells of each label in order of time.
  index(counts) {
    this.firstCell = new Uint32Array(this.length + 1);
    this.stepOf = new Uint32Array(this.cells.label.length);
    for (let step = 0; step < this.length; ++step) {
      this.firstCell[step + 1] = this.firstCell[step] + counts[step];
      this.stepOf.fill(step, this.firstCell[step], this.firstCell[step + 1]);
    }
    this.byLabel = new Map();
    this.cells.label.forEach((label, cell) => {
      if (!this.byLabel.has(label)) this.byLabel.set(label, []);
      this.byLabel.get(label).push(cell);
    });
    this.rowOf = new Map(this.labels.map((row) => [row.label, row]));
  }

  cellsOf(label) {
    return this.byLabel.get(label) ?? [];
  }

  // The last step that begins at `time` or before.
  stepAt(time) {
    let low = 0;
    let high = this.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.steps.time[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  probability(cell) {
    return share(this.cells.probability[cell]);
  }

  plainProbability(cell) {
    return share(this.cells.plain[cell]);
  }

  // What is known at a step, likeliest first.
  entriesAt(step) {
    const entries = [];
    for (let cell = this.firstCell[step]; cell < this.firstCell[step + 1]; ++cell) entries.push(this.entry(cell));
    return entries.sort((a, b) => Math.max(b.probability, b.plain) - Math.max(a.probability, a.plain));
  }

  entry(cell) {
    const { label, kept, added, removed, correction } = this.cells;
    return {
      label: label[cell],
      kept: kept[cell],
      added: added[cell],
      removed: removed[cell],
      probability: this.probability(cell),
      plain: this.plainProbability(cell),
      correction: correction[cell],
      prior: share(this.cells.prior[cell]),
      evidence: this.cells.evidence[cell] ?? null,
      results: this.steps.results[this.stepOf[cell]],
    };
  }

  cellAt(step, label) {
    for (let cell = this.firstCell[step]; cell < this.firstCell[step + 1]; ++cell)
      if (this.cells.label[cell] === label) return cell;
    return -1;
  }
}

// The initial selection: the label that was changed most, at its largest change.
function mostChanged(stream) {
  const changed = (row) => row.added + row.removed;
  return stream.labels.reduce((most, row) => (most === null || changed(row) > changed(most) ? row : most), null);
}

function largest(examples) {
  const size = (example) => Math.abs(example.probability - example.plain_probability);
  return examples.reduce((most, example) => (size(example) > size(most) ? example : most));
}

// The current selection; drawing code listens for its changes.
const view = {
  ...makeEvents("stream", "step", "label", "theme"),
  data: null,
  stream: null,
  step: 0,
  label: null,
  setStream(stream) {
    this.stream = stream;
    const row = mostChanged(stream);
    this.label = row?.label ?? null;
    this.step = row && row.examples.length > 0 ? stream.stepAt(largest(row.examples).time) : 0;
    this.emit("stream");
  },
  setStep(step) {
    this.step = Math.max(0, Math.min(this.stream.length - 1, step));
    this.emit("step");
  },
  setLabel(label) {
    this.label = label;
    this.emit("label");
  },
};

function loadData() {
  const data = JSON.parse(byId("data").textContent);
  data.streams = data.streams.map((raw) => new Stream(raw));
  if (data.prior) {
    data.prior.frequency = unpacked(data.prior.frequency, Float32Array);
    data.prior.conditional = unpacked(data.prior.conditional, Float32Array);
  }
  return data;
}

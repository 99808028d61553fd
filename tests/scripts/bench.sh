# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The benchmarks still do what they measure. Each of them checks that itself; here they run for a second each, without a look at
# their figures, which are the machine's.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

bench=${BUILD:?}/tests/bench
toy=$ROOT/tests/data/bundles/toy
words=$ROOT/tests/data/bundles/toy-words

# Runs a benchmark in its short form; it has to succeed and to print something that matches $1.
quick() {
  local pattern=$1
  shift
  try env GST_PLUGIN_PATH="$BUILD/gst-plugin" GST_REGISTRY="$SCRATCH/registry.bin" XDG_CACHE_HOME="$SCRATCH/cache" "$@"
  expect_status 0
  expect_output "$pattern"
}

# Every program there is has its case below: a new one that is forgotten is found here.
Bench.HasACaseForEveryProgram() {
  local program name found=0
  for program in "$bench"/bench-*; do
    [ -f "$program" ] || continue
    name=${program##*/}
    grep -q "\"\$bench/$name\" --quick" "$ROOT/tests/scripts/bench.sh" || flunk "no case runs $name"
    found=$((found + 1))
  done
  [ "$found" -ge 10 ] || flunk "$found benchmarks were built: is libbenchmark-dev installed?"
}

Bench.AdaptCorrectsAndLearns() { quick '^correct_and_learn/video/20 ' "$bench/bench-adapt" --quick; }
Bench.FleetConverges() { quick '^  gone ' "$bench/bench-fleet" --quick; }
Bench.EvalEvaluates() { quick 'peak_MB' "$bench/bench-eval" --quick; }
Bench.PresenceScores() { quick '^score_and_smooth/plain/80 ' "$bench/bench-presence" --quick; }
Bench.PreprocessFillsTensors() { quick '^nv12/tiles/640/360 ' "$bench/bench-preprocess" --quick; }
Bench.SavingKeepsFramesGoing() { quick 'saving: .*\([1-9][0-9]* saves\)' "$bench/bench-saving" --quick; }
Bench.VocabularyIsLearnt() { quick 'one of them replaced' "$bench/bench-vocabulary" --quick; }
Bench.PriorFilesSurviveKills() { quick '^25 kills' "$bench/kill-saving" --quick; }
Bench.ScenesAreCompared() { quick '^\| scenes \| ' "$bench/bench-scenes" --quick; }
Bench.SnapshotIsReadBack() { quick '^decode/80 ' "$bench/bench-snapshot" --quick; }
Bench.OverlayDraws() { quick '^gstreamer/nv12_from_ayuv/1920/1080 ' "$bench/bench-overlay" --quick; }
Bench.IdleMeasuresWhatRuns() { quick 'two cameras that say nothing' "$bench/bench-idle" --quick "$toy" "$BUILD/tools/gst-bcp/gst-bcp"; }
Bench.LabelsChange() { quick '^50 changes:' "$bench/bench-labels" --quick "$words"; }
Bench.LiveScores() { quick '^mode async' "$bench/bench-live" --quick "$toy"; }
Bench.OverheadScoresEveryFrame() { quick 'the element [0-9.-]+ ms more ' "$bench/bench-overhead" --quick "$ROOT/models/mini" 640 360; }
Bench.StartLabelsAFrame() { quick '^warm  first label after ' "$bench/bench-start" --quick "$toy"; }
Bench.StreamsShareAModel() { quick '^rates of the streams' "$bench/bench-streams" --quick "$toy"; }
Bench.StillComparesLabels() {
  local clips=$ROOT/tests/data/clips
  quick '^\| a small picture comes and goes \| 50 ' "$bench/bench-still" --quick "$toy" "$clips/intel_one-by-one.mp4" "$clips/mdn_friday.mp4"
}
Bench.PresetsAreEvaluated() { quick '^\| VOC2007 \| 58\.38 ' /usr/bin/python3 "$ROOT/tests/bench/presets.py" --quick --build "$BUILD"; }
Bench.PresenceIsTakenApart() {
  local arrays=(--embeddings v.npy --text t.npy --names labels.txt --truth y.npy --context-text c.npy --context-names context.txt)
  cd "$SCRATCH"
  /usr/bin/python3 - "$ROOT/src/decide/table/everyday.json" <<'END'
import json
import sys
import numpy as np
labels, draw = json.load(open(sys.argv[1]))["labels"], np.random.default_rng(1)
text = draw.normal(size=(110, 64))
truth = (draw.random((300, 80)) < 0.05).astype(np.int8)
np.save("v.npy", truth @ text[:80] + draw.normal(size=(300, 64)))
np.save("t.npy", text[:80])
np.save("c.npy", text)
np.save("y.npy", truth)
open("labels.txt", "w").write("\n".join(labels))
open("context.txt", "w").write("\n".join(labels + [f"word {i}" for i in range(30)]))
END
  quick '^\| no table: every word 0\.10 \| [0-9.]+ ' /usr/bin/python3 "$ROOT/tests/bench/presence.py" parts "${arrays[@]}" --quick
  quick '^\| VOC2007, strength 0\.5 \| 8[0-9.]+ ' /usr/bin/python3 "$ROOT/tests/bench/presence.py" stream "${arrays[@]}" --quick
}
Bench.RecordingsSurviveKills() {
  quick '^2 kills.*the index is right' /usr/bin/python3 "$ROOT/tests/bench/recordings.py" "$BUILD" --ends 2 --seed 4
  quick '^1 kills.*the index is right' /usr/bin/python3 "$ROOT/tests/bench/recordings.py" "$BUILD" --ends 1 --seed 4 --format mkv
  quick '^2 kills.*all play' /usr/bin/python3 "$ROOT/tests/bench/recordings.py" "$BUILD" --what out --ends 2 --seed 1
}
Bench.EightCamerasAreRecordedAndWatched() { quick '^2 cameras for .* all play' /usr/bin/python3 "$ROOT/tests/bench/eight_cameras.py" "$BUILD" --quick; }
Bench.ReconnectComesBack() { quick '^server killed' /usr/bin/python3 "$ROOT/tests/bench/reconnect.py" "$BUILD" --quick; }

# The comparison in its short form: our own contenders, whose embeddings are compared with those of CLIP's own preprocessing.
Bench.TableComparesContenders() {
  quick '^\| bcptagger, fp32 \| [0-9.]+ .*\| (0\.9999|1\.0000)' /usr/bin/python3 "$ROOT/tests/bench/compare/table.py" --build "$BUILD" --quick
  expect_output '^\| nv12, videoconvertscale \| [0-9.]+ '
  expect_output '^\| 8 streams on one model \| [0-9.]+ '
  expect_output '^Left out: onnxinference: no --tree of Debian 13\.$'
}

# A contender that skips frames, sees another picture or ends early must not get a row.
Bench.TableRefusesWorkThatWasNotDone() {
  local contender="$SCRATCH/build/tests/bench/contender" line
  mkdir -p "${contender%/*}"
  ln -s "$bench"/bench-* "${contender%/*}"
  for line in '{"frames": 1, "inferences": 0, "cpu": 1, "wall": 1, "resident": 1}' \
    '{"frames": 4, "inferences": 4, "cpu": 1, "wall": 1, "resident": 1, "embeddings": [[1, 0], [0, 1], [1, 0], [0, 1]]}'; do
    cat >"$contender" <<END
#!/usr/bin/env bash
# The element gives embeddings that are not those of the bare run.
echo '{"ready": "pretends", "inputs": 4}'
while read -r command; do
  if [ "\$command" = embeddings ] && [ "\$1" = bare ]; then echo '{"embeddings": [[0, 1], [1, 0], [0, 1], [1, 0]]}'
  elif [ "\$command" = embeddings ]; then echo '{"embeddings": [[1, 0], [0, 1], [1, 0], [0, 1]]}'
  else echo '$line' | sed "s/: 4/: \$command/g"; fi
done
END
    chmod +x "$contender"
    try /usr/bin/python3 "$ROOT/tests/bench/compare/table.py" --build "$SCRATCH/build" --quick
    expect_status 1
    expect_output '^benchmark failed: (bare run, ONNX Runtime fp32: 0 inferences for|bcptagger, fp32: its embeddings have a cosine of 0\.0000)'
  done
  printf '#!/bin/sh\nexit 3\n' >"$contender"
  try /usr/bin/python3 "$ROOT/tests/bench/compare/table.py" --build "$SCRATCH/build" --quick
  expect_status 1
  expect_output '^benchmark failed: bare run, ONNX Runtime fp32: ended with exit code 3 before it answered'
}

# Work that is not done is a failure and not a figure: a bundle that is not there, a name that no benchmark has.
Bench.FailsWhereNothingWasMeasured() {
  try "$bench/bench-snapshot" --benchmark_filter=nothing-of-this-name
  expect_status 1
  expect_output '^benchmark failed: '
  try env GST_PLUGIN_PATH="$BUILD/gst-plugin" GST_REGISTRY="$SCRATCH/registry.bin" "$bench/bench-overhead" --quick "$SCRATCH/missing" 640 360
  expect_status 1
  expect_output '^benchmark failed: .*missing'
}

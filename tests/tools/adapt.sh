# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp adapt, on the reference arrays and on invalid arrays.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

stream=$ROOT/tests/data/voc2007-stream

# Saves the array that is the value of the Python expression $2 as $1.
save() { /usr/bin/python3 -c 'import sys, numpy as np; np.save(sys.argv[1], eval(sys.argv[2]))' "$1" "$2"; }

# The options that the reference of this name was made with.
options_of() {
  case $1 in
    paper) ;;
    anchors2) echo --anchors 2 ;;
    anchors3) echo --anchors 3 ;;
    warm_up) echo --warm-up ;;
    shrinkage20) echo --shrinkage 20 ;;
    strength0.5) echo --strength 0.5 ;;
    mu0.1) echo --anchor-confidence 0.1 ;;
    mu0.9) echo --anchor-confidence 0.9 ;;
    half_life100) echo --half-life 100 ;;
    novelty0.2) echo --novelty-distance 0.2 --embeddings "$stream/embeddings.npy" ;;
    *) flunk "no options are known for $1" ;;
  esac
}

Adapt.GivesEveryReferenceWithin1e9() {
  local reference name count=0
  for reference in "$stream"/corrected_*.npy; do
    name=$(basename "$reference" .npy)
    # shellcheck disable=SC2046  # words
    bcp adapt --logits "$stream/logits.npy" --out "$SCRATCH/out.npy" $(options_of "${name#corrected_}")
    with_arrays 'assert a.dtype == np.float64 and a.shape == (4952, 20)
assert np.abs(a[:600] - b).max() < 1e-9, np.abs(a[:600] - b).max()' "$SCRATCH/out.npy" "$reference"
    count=$((count + 1))
  done
  [ "$count" -eq 10 ] || flunk "$count references instead of 10"
}

Adapt.FollowsAnOrderAndWritesRowsWhereTheyWere() {
  cd "$SCRATCH"
  save order.npy "np.load('$stream/orders.npy')[0]"
  save shuffled.npy "np.load('$stream/logits.npy')[np.load('order.npy')]"
  bcp adapt --logits "$stream/logits.npy" --order order.npy --out followed.npy --shrinkage 5
  bcp adapt --logits shuffled.npy --out plain.npy --shrinkage 5
  with_arrays 'assert np.array_equal(a[c], b)' followed.npy plain.npy order.npy
  bcp adapt --logits "$stream/logits.npy" --out unordered.npy --shrinkage 5
  with_arrays 'assert not np.array_equal(a, b)' followed.npy unordered.npy
}

Adapt.WritesTheCorrectionAndTheAnchors() {
  cd "$SCRATCH"
  try bcp adapt --logits "$stream/logits.npy" --out out.npy --out-correction correction.npy --out-anchors anchors.npy
  expect_status 0
  expect_output '^out\.npy: 4952 rows of 20 labels, [0-9]+ with an anchor, 4952 learnt$'
  with_arrays 's = d.astype(float)
e = np.exp(s - s.max(1, keepdims=True)); p = e / e.sum(1, keepdims=True)
assert np.abs(a - s - b).max() < 1e-12
assert c.dtype == np.int32 and np.array_equal(c, np.where(p.max(1) > 0.5, p.argmax(1), -1))
assert (b[c < 0] == 0).all()' out.npy correction.npy anchors.npy "$stream/logits.npy"
}

Adapt.WritesProbabilitiesAlsoWithKeepAnchor() {
  cd "$SCRATCH"
  bcp adapt --logits "$stream/logits.npy" --out out.npy --out-probability plain.npy
  bcp adapt --logits "$stream/logits.npy" --out same.npy --out-probability kept.npy --keep-anchor
  cmp out.npy same.npy
  with_arrays 'def softmax(s):
    e = np.exp(s - s.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)
p = softmax(d.astype(float)); sure = p.max(1) > 0.5
assert np.abs(b - softmax(a)).max() < 1e-12
assert np.abs(c.sum(1) - 1).max() < 1e-12 and np.abs(b - c).max() > 0.1
assert np.abs(c - p)[np.arange(len(p)), p.argmax(1)][sure].max() < 1e-12' out.npy plain.npy kept.npy "$stream/logits.npy"
}

Adapt.MayReplaceTheFileItReads() {
  cd "$SCRATCH"
  cp "$stream/logits.npy" logits.npy
  bcp adapt --logits logits.npy --out expected.npy
  bcp adapt --logits logits.npy --out logits.npy
  cmp logits.npy expected.npy
}

Adapt.TakesEveryTypeAndOrderOfNumbers() {
  cd "$SCRATCH"
  # Plus 0: whole numbers have no negative zero, and a frame that is not corrected keeps its logits, signs of zeros too.
  save one.npy "np.load('$stream/logits.npy')[:50].round().astype('float64') + 0"
  bcp adapt --logits one.npy --out expected.npy
  for type in '<f4' '>f4' '>f8' '<i2' '>i4' '|i1' '<f2'; do
    save other.npy "np.asfortranarray(np.load('one.npy').astype('$type'))"
    bcp adapt --logits other.npy --out out.npy
    cmp out.npy expected.npy
  done
}

Adapt.LearnsNearCopiesOnceUnlessTheIntervalIsOver() {
  cd "$SCRATCH"
  save logits.npy "np.arange(200.).reshape(100, 2) % 7"
  save same.npy "np.ones((100, 3))"
  try bcp adapt --logits logits.npy --embeddings same.npy --out out.npy --novelty-distance 0.1
  expect_output ' 1 learnt$'
  try bcp adapt --logits logits.npy --embeddings same.npy --out out.npy --preset video
  expect_output ' 1 learnt$'
  # 100 frames in 10 seconds: at 0, 2, 4, 6 and 8.
  try bcp adapt --logits logits.npy --embeddings same.npy --out out.npy --novelty-distance 0.1 --novelty-interval 2 --fps 10
  expect_output ' 5 learnt$'
  try bcp adapt --logits logits.npy --embeddings same.npy --out out.npy --preset video --novelty-distance 0
  expect_output ' 100 learnt$'
}

Adapt.LetsAnOptionOverrideThePreset() {
  cd "$SCRATCH"
  local paper='--anchor-confidence 0.5 --anchors 1 --keep-anchor=false --shrinkage 0 --half-life 0 --novelty-distance 0'
  # shellcheck disable=SC2086  # words
  bcp adapt --logits "$stream/logits.npy" --out out.npy --preset video $paper
  with_arrays 'assert np.abs(a[:600] - b).max() < 1e-9' out.npy "$stream/corrected_paper.npy"
}

Adapt.WarnsIfAPresetCannotBeAppliedAndRejectsSuchAnOption() {
  cd "$SCRATCH"
  try bcp adapt --logits "$stream/logits.npy" --out out.npy --preset video
  expect_status 0
  expect_one_sentence
  expect_output '^gst-bcp: warning: without --embeddings'
  bcp adapt --logits "$stream/logits.npy" --out same.npy --preset video --novelty-distance 0
  cmp out.npy same.npy
  for line in '--novelty-distance 0.1' '--novelty-interval 2' '--preset video --novelty-interval 3' \
    "--embeddings $stream/embeddings.npy --novelty-distance 0.1 --novelty-interval 2" '--out-correction out.npy' '--out-anchors ./out.npy'; do
    # shellcheck disable=SC2086  # words
    try bcp adapt --logits "$stream/logits.npy" --out out.npy $line
    expect_status 1
    expect_one_sentence
  done
}

# Expects that the arrays $2... are refused with a sentence that matches $1, and that nothing is written.
expect_refusal() {
  local what=$1
  shift
  echo old >out.npy
  try bcp adapt --out out.npy "$@"
  expect_status 1
  expect_one_sentence
  expect_output "$what"
  [ "$(cat out.npy)" = old ] || flunk "it wrote something for $*"
  [ -z "$(find . -name '*.tmp')" ] || flunk "it left something behind for $*"
}

Adapt.RefusesArraysThatAreWrong() {
  cd "$SCRATCH"
  save good.npy 'np.zeros((4, 3))'
  save one_side.npy 'np.zeros(4)'
  save three_sides.npy 'np.zeros((4, 3, 2))'
  save five.npy 'np.ones((5, 3))'
  save nan.npy 'np.array([[0, 1, 2], [3, np.nan, 5]])'
  save infinite.npy 'np.array([[0., 1, 2], [3, 4, np.inf]])'
  save text.npy 'np.array(["a", "b"])'
  head -c 200 good.npy >cut.npy
  echo '0.1 0.2' >list.txt
  printf '\223NUMPY\2\0\377\377\377\377' >huge.npy
  mkfifo pipe
  expect_refusal 'one_side\.npy has the shape \[4\].*reshape' --logits one_side.npy
  expect_refusal 'three_sides\.npy has the shape \[4, 3, 2\]' --logits three_sides.npy
  expect_refusal 'good\.npy has 4 rows, but five\.npy has 5' --logits good.npy --embeddings five.npy --novelty-distance 1
  expect_refusal 'nan\.npy has NaN in row 1, column 1' --logits nan.npy
  expect_refusal 'infinite\.npy has infinity in row 1, column 2' --logits infinite.npy
  expect_refusal 'text\.npy has the unsupported type' --logits text.npy
  expect_refusal 'cut\.npy has .* incomplete' --logits cut.npy
  expect_refusal 'list\.txt is not a NumPy array' --logits list.txt
  expect_refusal 'huge\.npy has a damaged header' --logits huge.npy
  expect_refusal 'pipe is a pipe' --logits pipe
  expect_refusal ' is a directory' --logits .
  expect_refusal 'No such file' --logits missing.npy
}

Adapt.RejectsAnInvalidOrder() {
  cd "$SCRATCH"
  save good.npy 'np.zeros((4, 3))'
  save short.npy 'np.arange(3)'
  save twice.npy 'np.array([0, 1, 1, 3])'
  save beyond.npy 'np.array([0, 1, 2, 4])'
  save below.npy 'np.array([0, 1, 2, -1])'
  save between.npy 'np.array([0, 1, 2, 2.5])'
  save several.npy 'np.zeros((2, 4), int)'
  expect_refusal 'short\.npy has 3 indices' --logits good.npy --order short.npy
  expect_refusal 'twice\.npy has row 1 a second time at place 2' --logits good.npy --order twice.npy
  expect_refusal 'beyond\.npy has 4 at place 3' --logits good.npy --order beyond.npy
  expect_refusal 'below\.npy has -1 at place 3' --logits good.npy --order below.npy
  expect_refusal 'between\.npy has 2\.5 at place 3' --logits good.npy --order between.npy
  expect_refusal 'several\.npy has 2 orders' --logits good.npy --order several.npy
}

Adapt.LeavesNothingBehindWhenItIsStopped() {
  cd "$SCRATCH"
  local program signal tries
  save long.npy 'np.zeros((30_000, 1_500), "float32")'
  for signal in INT TERM HUP; do
    echo old >out.npy
    # Under nohup SIGHUP is ignored, and the command respects that.
    env --default-signal="$signal" "$BUILD/tools/gst-bcp/gst-bcp" adapt --logits long.npy --out out.npy --out-correction more.npy \
      2>stopped >/dev/null &
    program=$!
    for ((tries = 0; tries < 600; tries++)); do
      [ -z "$(find . -name 'more.npy.*.tmp')" ] || break
      sleep 0.05
    done
    # Twice, as timeout(1) does it.
    kill "-$signal" "$program"
    kill "-$signal" "$program" 2>/dev/null || true
    status=0
    wait "$program" || status=$?
    output=$(cat stopped)
    expect_status 130
    expect_one_sentence
    expect_output 'stopped after [0-9]+ of 30000 rows: nothing was written'
    [ "$(cat out.npy)" = old ] || flunk "it wrote something"
    [ -z "$(find . -name '*.tmp')" ] || flunk "it left something behind"
  done
}

Adapt.AnswersWrongValuesWithOneSentenceAndCodeTwo() {
  local line
  for line in '' '--strength 1.5' '--strength nan' '--anchors 4' '--anchors -1' '--preset camera' '--shrinkage -1' '--half-life x' \
    '--novelty-interval 2000000000' '--fps 0' '--fps nan' '--out-anchors a.txt'; do
    # shellcheck disable=SC2086  # words
    try bcp adapt --logits "$stream/logits.npy" ${line:+--out "$SCRATCH/out.npy"} $line
    expect_status 2
    expect_one_sentence
  done
  [ ! -e "$SCRATCH/out.npy" ] || flunk "it wrote something"
}

# The largest share of the memory a process had, in kilobytes.
peak_of() {
  /usr/bin/python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

Adapt.TakesNoMoreMemoryForALongerArray() {
  cd "$SCRATCH"
  local few many
  save short.npy 'np.zeros((1000, 20), "float32")'
  save long.npy 'np.zeros((400_000, 20), "float32")'
  few=$(peak_of "$BUILD/tools/gst-bcp/gst-bcp" adapt --logits short.npy --out out.npy)
  many=$(peak_of "$BUILD/tools/gst-bcp/gst-bcp" adapt --logits long.npy --out out.npy --out-correction more.npy)
  # The arrays are 32 and 64 MB.
  [ "$many" -lt $((few + 8000)) ] || flunk "$few kB for a thousand rows, $many kB for 400,000"
}

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp eval --html: its page in a browser.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

data=$ROOT/tests/data/voc2007-stream

# Opens page $2 in a browser for the checks $1 of eval_page.py, with commas between them.
check() { SCRATCH=$SCRATCH /usr/bin/python3 "$ROOT/tests/tools/eval_page.py" "$@" || flunk "$1"; }

# A page about the bundled stream with every protocol, and its numbers.
make_page() {
  bcp eval --logits "$data/logits.npy" --embeddings "$data/embeddings.npy" --truth "$data/truth.npy" --names "$data/labels.txt" --protocol all --video-shots 20 \
    --json "$SCRATCH/voc.json" --html "$SCRATCH/voc.html" >/dev/null
}

# Arrays of $1 samples with $2 labels in $SCRATCH, made up.
make_arrays() {
  /usr/bin/python3 - "$SCRATCH" "$@" <<'END'
import sys
import numpy
scratch, samples, labels = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
draw = numpy.random.default_rng(7)
truth = (draw.random((samples, labels)) < 0.3).astype(numpy.int8)
truth[0] = 1
numpy.save(scratch + "/truth.npy", truth)
numpy.save(scratch + "/logits.npy", (4 * truth + draw.normal(size=truth.shape)).astype(numpy.float32))
END
}

EvalPage.ShowsTheNumbersOfTheJson() {
  make_page
  check reports_gain_and_loss,lists_the_methods,draws_the_numbers,draws_the_reliability,tabulates_the_video,explains_the_ceiling,draws_the_heat_map,colours_gain_and_loss "$SCRATCH/voc.html" "$SCRATCH/voc.json"
}

EvalPage.SuitsKeyboardsScreenReadersScreensAndPaper() {
  make_page
  check switches_by_keyboard,is_readable_aloud,scrolls_by_keyboard_on_a_phone,changes_its_theme,fits_small_and_large_screens,prints,follows_axe "$SCRATCH/voc.html"
}

EvalPage.InterpretsNoLabelAndCutsLongOnes() {
  make_arrays 40 6
  printf '%s\n' '<script>hurt=1</script>' '<img src=x onerror=hurt=1>' '{bold|rich}' $'\u202eturned' '</script><!--' "$(printf '%0300d' 0)" >"$SCRATCH/names"
  bcp eval --logits "$SCRATCH/logits.npy" --truth "$SCRATCH/truth.npy" --names "$SCRATCH/names" --strength 0 --protocol label-count --html "$SCRATCH/odd.html" >/dev/null
  check interprets_no_label,stays_readable "$SCRATCH/odd.html"
}

EvalPage.OmitsMissingParts() {
  make_arrays 40 5
  bcp eval --logits "$SCRATCH/logits.npy" --truth "$SCRATCH/truth.npy" --adapter none --html "$SCRATCH/plain.html" >/dev/null
  check shows_no_more_than_there_is "$SCRATCH/plain.html"
}

EvalPage.DrawsTheEndsOfManyLabels() {
  make_arrays 60 300
  bcp eval --logits "$SCRATCH/logits.npy" --truth "$SCRATCH/truth.npy" --html "$SCRATCH/many.html" >/dev/null
  check draws_the_ends_of_many_labels "$SCRATCH/many.html"
}

# The command in the page, typed again, gives the same numbers.
EvalPage.ShowsTheCommandThatReproducesIt() {
  make_arrays 40 5
  bcp eval --logits "$SCRATCH/logits.npy" --truth "$SCRATCH/truth.npy" --shrinkage 2 --warm-up --seed 3 --difficult absent --protocol orderings --protocol frequency \
    --json "$SCRATCH/first.json" --html "$SCRATCH/first.html" >/dev/null
  local command
  command=$(check names_the_command "$SCRATCH/first.html")
  grep -q -- '--shrinkage 2 .*--protocol orderings --protocol frequency --seed 3 --difficult absent' <<<"$command" || flunk "$command"
  eval "${command/#gst-bcp/bcp} --json $SCRATCH/second.json" >/dev/null
  cmp "$SCRATCH/first.json" "$SCRATCH/second.json" || flunk "it gives other numbers: $command"
  # A preset's own values are not named: without embeddings some would be refused.
  bcp eval --logits "$SCRATCH/logits.npy" --truth "$SCRATCH/truth.npy" --preset video --anchors 2 --keep-anchor=false --json "$SCRATCH/first.json" --html "$SCRATCH/first.html" >/dev/null
  command=$(check names_the_command "$SCRATCH/first.html")
  grep -q -- '--preset video --anchors 2 --keep-anchor=false$' <<<"$command" || flunk "$command"
  eval "${command/#gst-bcp/bcp} --json $SCRATCH/second.json" >/dev/null
  cmp "$SCRATCH/first.json" "$SCRATCH/second.json" || flunk "it gives other numbers: $command"
  bcp eval --logits "$SCRATCH/logits.npy" --truth "$SCRATCH/truth.npy" --prior-strength 0.5 --presence-scale 2 --prior-table "$ROOT/tests/data/presence/table.json" \
    --protocol decision --protocol few-labels --json "$SCRATCH/first.json" --html "$SCRATCH/first.html" >/dev/null
  command=$(check names_the_command "$SCRATCH/first.html")
  grep -q -- '--prior-table .*--prior-strength 0.5 --presence-scale 2 --protocol decision --protocol few-labels$' <<<"$command" || flunk "$command"
  eval "${command/#gst-bcp/bcp} --json $SCRATCH/second.json" >/dev/null
  cmp "$SCRATCH/first.json" "$SCRATCH/second.json" || flunk "it gives other numbers: $command"
}

EvalPage.GoesToAFileThatIsNotAnInput() {
  make_arrays 40 5
  cp "$SCRATCH/truth.npy" "$SCRATCH/before"
  try bcp eval --logits "$SCRATCH/logits.npy" --truth "$SCRATCH/truth.npy" --html "$SCRATCH/truth.npy"
  expect_status 1
  expect_one_sentence
  cmp -s "$SCRATCH/before" "$SCRATCH/truth.npy" || flunk "an input was replaced"
  try bcp eval --logits "$SCRATCH/logits.npy" --truth "$SCRATCH/truth.npy" --html -
  expect_status 2
  try bcp eval --logits "$SCRATCH/logits.npy" --truth "$SCRATCH/truth.npy" --html "$SCRATCH/missing/page.html"
  expect_status 1
  expect_output 'missing'
}

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp, the command-line tool; the tests of gst-bcp model check are in cli_check.sh.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

# --- the program

Cli.PrintsItsVersionAndItsCommands() {
  try bcp --version
  expect_status 0
  expect_output '^gst-bcp [0-9]+\.[0-9]+\.[0-9]+$'
  try bcp model --help
  expect_status 0
  for command in get list check tokens preprocess embed calibrate; do expect_output "^  $command "; done
}

Cli.ExplainsEveryCommand() {
  for command in get list check tokens preprocess embed calibrate; do
    try bcp model "$command" --help
    expect_status 0
    expect_output "^Usage: gst-bcp model $command"
  done
}

Cli.AnswersAWrongCommandLineWithOneSentenceAndCodeTwo() {
  local line
  for line in '' 'model' 'nonsense' 'model nonsense' 'model check --provider gpu' 'model check --threads -1' 'model tokens' \
    'model tokens --length 1 x' 'model tokens --file x y' 'model preprocess x' 'model embed x y.png' 'model tokens --lenght 5 x' \
    'model get' 'model get x --variant fp17' 'model get x --connections 0'; do
    # shellcheck disable=SC2086  # words
    try bcp $line
    expect_status 2
    expect_one_sentence
    expect_output '; see: gst-bcp.* --help$'
  done
}

Cli.SaysWhenItsOutputCannotBeWritten() {
  # shellcheck disable=SC2016  # for another shell
  try bash -c '"$1" model tokens cat >/dev/full' - "$BUILD/tools/gst-bcp/gst-bcp"
  expect_status 1
  expect_one_sentence
}

Cli.IsOnThePathOfABuiltTree() {
  # shellcheck disable=SC2016  # for another shell
  in_fresh_environment bash --norc -c '. "$1/pipelines/env.sh" && gst-bcp model tokens cat' - "$ROOT"
}

Cli.IsInstalledWithItsReferenceValues() {
  local program
  meson install -C "$BUILD" --no-rebuild --destdir "$SCRATCH/root" >/dev/null
  program=$(find "$SCRATCH/root" -path '*/bin/gst-bcp' -type f)
  in_fresh_environment "$program" --version
  [ -n "$(find "$SCRATCH/root" -path '*/models/golden/clip-vit-b32.json')" ] || flunk "no reference values are installed"
}

# --- model list

CliList.ShowsValidBrokenAndHiddenModelsWithoutLoadingThem() {
  make_bundle "$SCRATCH/one/fine" fine
  make_bundle "$SCRATCH/one/damaged" damaged
  make_bundle "$SCRATCH/two/fine" other
  echo more >>"$SCRATCH/one/damaged/visual.onnx"
  mkdir "$SCRATCH/one/no-model"
  try env GST_BCP_MODEL_PATH="$SCRATCH/one:$SCRATCH/two" "$BUILD/tools/gst-bcp/gst-bcp" model list
  expect_status 0
  expect_output '^name +layout +size +image +text +licence +where$'
  expect_output "^fine +bundle\.json +[0-9.]+ kB +32 x 32 +6 labels +LGPL-2\.1-or-later +$SCRATCH/one/fine$"
  expect_output "^broken: $SCRATCH/one/damaged$"
  expect_output 'visual\.onnx is damaged or was changed'
  expect_output "^hidden: $SCRATCH/two/fine$"
  expect_no_output 'no-model'
}

CliList.EscapesControlCharactersInNames() {
  make_bundle "$SCRATCH/one/loud" loud
  sed -i 's/"licence": "[^"]*"/"licence": "\\u001b[2Jfree"/' "$SCRATCH/one/loud/bundle.json"
  try env GST_BCP_MODEL_PATH="$SCRATCH/one" "$BUILD/tools/gst-bcp/gst-bcp" model list
  expect_output '\?\[2Jfree'
}

CliList.ListsTheSearchedFoldersWhenThereIsNoModel() {
  [ ! -d /usr/local/share/gst-bcp ] && [ ! -d /usr/share/gst-bcp ] || return 0
  try env GST_BCP_MODEL_PATH="$SCRATCH/none" XDG_DATA_HOME="$SCRATCH/none" XDG_DATA_DIRS="$SCRATCH/none" \
    "$BUILD/tools/gst-bcp/gst-bcp" model list
  expect_status 1
  expect_one_sentence
  expect_output 'GST_BCP_MODEL_PATH'
}

# --- model tokens

CliTokens.PrintsTheIdsOfClip() {
  try bcp model tokens 'a photo of a cat' ''
  expect_status 0
  [ "$output" = $'49406 320 1125 539 320 2368 49407\n49406 49407' ] || flunk "$output"
}

CliTokens.TakesATextAsItIs() {
  local text
  for text in '[red, green]' '[]' '[[a]]' '{}' '%%' ' a  b ' list -5 'a,b' "it's"; do
    [ "$(bcp model tokens "$text")" = "$(printf '%s\n' "$text" | bcp model tokens --file -)" ] || flunk "other ids for $text"
  done
  [ "$(bcp model tokens '[red, green]' '{}' list | wc -l)" -eq 3 ] || flunk "texts were split or lost"
  [ "$(bcp model tokens -- --json)" = "$(printf -- '--json\n' | bcp model tokens --file -)" ] || flunk "-- does not end the options"
}

CliTokens.ReadsOneTextALine() {
  printf 'a photo of a cat\r\n\na photo of a cat' >"$SCRATCH/texts"
  try bcp model tokens --file "$SCRATCH/texts"
  [ "$output" = $'49406 320 1125 539 320 2368 49407\n49406 49407\n49406 320 1125 539 320 2368 49407' ] || flunk "$output"
  try bcp model tokens --file - <"$SCRATCH/texts"
  [ "$(wc -l <<<"$output")" -eq 3 ] || flunk "$output"
  : >"$SCRATCH/texts"
  try bcp model tokens --file "$SCRATCH/texts"
  [ -z "$output" ] || flunk "$output"
}

CliTokens.CutsToALengthAndKeepsTheEnd() {
  try bcp model tokens --length 4 'a photo of a cat'
  [ "$output" = '49406 320 1125 49407' ] || flunk "$output"
  [ "$(bcp model tokens "$(printf 'cat %.0s' {1..200})" | wc -w)" -eq 77 ] || flunk "not 77 ids"
}

CliTokens.TakesVocabularyAndLengthFromAModel() {
  [ "$(bcp model tokens --model "$words" 'a photo of a cat')" = '49406 320 1125 539 320 2368 49407' ] || flunk "other ids"
  cp -r "$words" "$SCRATCH/short"
  sed -i 's/"file": "textual.onnx"/"file": "textual.onnx", "context_length": 5/' "$SCRATCH/short/bundle.json"
  [ "$(bcp model tokens --model "$SCRATCH/short" 'a photo of a cat')" = '49406 320 1125 539 49407' ] || flunk "not five ids"
}

CliTokens.RefusesWhatItCannotRead() {
  for file in "$SCRATCH" "$SCRATCH/none"; do
    try bcp model tokens --file "$file"
    expect_status 1
    expect_one_sentence
  done
  try bcp model tokens --model "$ROOT/tests/data/bundles/toy" cat
  expect_status 1
  expect_output 'has no text tower'
}

# --- model preprocess

CliPreprocess.AgreesWithClipsOwn() {
  # A bundle with CLIP's size, mean and std; its tower is never loaded.
  make_bundle "$SCRATCH/clip" clip
  /usr/bin/python3 - "$SCRATCH/clip/bundle.json" <<'PYTHON'
import json, sys
bundle = json.load(open(sys.argv[1]))
bundle["image"] = {"size": 224, "mean": [0.48145466, 0.4578275, 0.40821073], "std": [0.26862954, 0.26130258, 0.27577711]}
json.dump(bundle, open(sys.argv[1], "w"))
PYTHON
  bcp model preprocess "$photograph" "$SCRATCH/out.npy" --model "$SCRATCH/clip"
  with_arrays 'd = np.abs(a - b); assert a.dtype == np.float32 and a.shape == (1, 3, 224, 224) == b.shape and d.max() <= 0.016 and d.mean() <= 0.001, (a.shape, d.max(), d.mean())' \
    "$SCRATCH/out.npy" "$ROOT/tests/data/golden/expected_preprocessed_image.npy"
}

CliPreprocess.ReadsEveryKindOfPicture() {
  local kind
  make_pictures
  for kind in rgb alpha deep grey grey_as_rgb wide; do
    bcp model preprocess "$SCRATCH/$kind.png" "$SCRATCH/$kind.npy" --model "$toy"
  done
  cd "$SCRATCH"
  with_arrays 'assert np.array_equal(a, b) and np.array_equal(a, c)' rgb.npy alpha.npy deep.npy
  with_arrays 'assert np.array_equal(a, b) and np.ptp(a) > 0.1' grey.npy grey_as_rgb.npy
  with_arrays 'assert not np.array_equal(a, b)' rgb.npy grey.npy
}

CliPreprocess.FollowsTheOrientationOfAPhotograph() {
  make_pictures
  bcp model preprocess "$photograph" "$SCRATCH/upright.npy" --model "$toy"
  bcp model preprocess "$SCRATCH/turned.jpg" "$SCRATCH/turned.npy" --model "$toy"
  with_arrays 'assert np.abs(np.rot90(a, -1, (2, 3)) - b).max() < 0.02 and np.abs(a - b).max() > 0.1' "$SCRATCH/upright.npy" "$SCRATCH/turned.npy"
}

CliPreprocess.WritesOneSquarePerTile() {
  make_pictures
  cd "$SCRATCH"
  for coverage in centre squash tiles; do
    bcp model preprocess wide.png "$coverage.npy" --model "$toy" --coverage "$coverage"
  done
  with_arrays 'assert a.shape == b.shape == (1, 3, 32, 32) and c.shape[0] > 4 and c.shape[1:] == (3, 32, 32) and not np.array_equal(a, b)' \
    centre.npy squash.npy tiles.npy
}

CliPreprocess.RefusesPicturesItCannotUseAndWritesNothing() {
  local picture
  make_pictures
  for picture in one_pixel.png too_large.png cut.png cut.jpg cut_turned.jpg empty.png none.png . pictures.txt; do
    echo text >"$SCRATCH/pictures.txt"
    try bcp model preprocess "$SCRATCH/$picture" "$SCRATCH/out.npy" --model "$toy"
    expect_status 1
    expect_one_sentence
    expect_output "^gst-bcp: .*$picture"
    [ ! -e "$SCRATCH/out.npy" ] || flunk "it wrote something for $picture"
  done
}

CliPreprocess.OverwritesArraysAndNothingElse() {
  cp "$photograph" "$SCRATCH/mine.jpg"
  try bcp model preprocess "$SCRATCH/out.npy" "$SCRATCH/mine.jpg" --model "$toy"
  expect_status 2
  cmp "$photograph" "$SCRATCH/mine.jpg"
  mkdir "$SCRATCH/directory.npy"
  try bcp model preprocess "$photograph" "$SCRATCH/directory.npy" --model "$toy"
  expect_status 1
  expect_one_sentence
  echo old >"$SCRATCH/out.npy"
  bcp model preprocess "$photograph" "$SCRATCH/out.npy" --model "$toy"
  with_arrays 'assert a.shape == (1, 3, 32, 32)' "$SCRATCH/out.npy"
  try bcp model preprocess "$photograph" "$SCRATCH/none/out.npy" --model "$toy"
  expect_status 1
  expect_one_sentence
}

# --- model embed

CliEmbed.GivesUnitEmbeddingsThatScoreAsTheElementDoes() {
  cd "$SCRATCH"
  # A picture of plain red, as a text file: the toy model names colours.
  { printf 'P3 32 32 255\n' && for _ in {1..1024}; do echo 255 0 0; done; } >red.ppm
  bcp model embed red.ppm picture.npy --model "$toy"
  bcp model embed red red.npy --model "$toy"
  bcp model embed blue blue.npy --model "$toy"
  with_arrays 'assert a.shape == (8,) and a.dtype == np.float32 and abs(np.linalg.norm(a) - 1) < 1e-6 and abs(np.linalg.norm(b) - 1) < 1e-6
assert a @ b > a @ c + 0.1, (a @ b, a @ c)' picture.npy red.npy blue.npy
}

CliEmbed.TreatsAFileAsAPictureUnlessTextIsGiven() {
  cd "$SCRATCH"
  cp "$photograph" red
  bcp model embed red picture.npy --model "$toy"
  bcp model embed red text.npy --model "$toy" --text
  with_arrays 'assert not np.allclose(a, b)' picture.npy text.npy
  try bcp model embed missing.jpg out.npy --model "$toy"
  expect_status 1
  expect_output 'there is no file missing\.jpg'
}

CliEmbed.NamesTheNearestLabelsOfAModelWithoutATextTower() {
  try bcp model embed rad "$SCRATCH/out.npy" --model "$toy"
  expect_status 1
  expect_one_sentence
  expect_output '"red"'
  try bcp model embed red "$SCRATCH/out.npy" --model "$toy" --template 'a {}'
  expect_status 1
  expect_output 'no text tower'
}

CliEmbed.AveragesTheTemplatesOfAText() {
  cd "$SCRATCH"
  bcp model embed red bare.npy --model "$words"
  bcp model embed 'a red' one.npy --model "$words"
  bcp model embed 'red green' two.npy --model "$words"
  bcp model embed red mean.npy --model "$words" --template 'a {}' --template '{} green'
  with_arrays 'm = b + c; assert np.allclose(d, m / np.linalg.norm(m), atol=1e-6) and not np.allclose(a, d)' bare.npy one.npy two.npy mean.npy
  try bcp model embed red out.npy --model "$words" --template 'a red'
  expect_status 1
  expect_one_sentence
}

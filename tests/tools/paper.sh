# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp paper: the paper's tables, with results beside them.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

# An evaluation in $SCRATCH/$1, with settings and protocols as JSON.
evaluation() {
  printf '{"version":1,"settings":%s,"zero_shot":{"logits":79.00,"softmax":80},"bcp":{"logits":88.50,"softmax":81},"protocols":%s}' "$2" "${3:-{\}}" >"$SCRATCH/$1"
}

voc='{"samples":4952,"dataset":"voc2007","model":"clip-vit-b16","preset":"paper"}'

Paper.PrintsItsMainTable() {
  try bcp paper
  expect_status 0
  expect_output '^BCP +65\.47 +64\.92 +88\.41 +87\.37 +52\.78 +71\.79$'
  expect_output '^TPT .*back-propagation'
  expect_no_output ' $'
}

Paper.PutsResultsBesideTheirFigures() {
  evaluation voc.json "$voc"
  try bcp paper "$SCRATCH/voc.json"
  expect_status 0
  expect_output '^CLIP +54\.42 +54\.13 +79\.58 +79\.00 \(-0\.58\) '
  expect_output '^BCP +65\.47 +64\.92 +88\.41 +88\.50 \(\+0\.09\) '
  [ "$(grep -c '(' <<<"$(grep -E '^(CLIP|BCP) ' <<<"$output")")" -eq 2 ] || flunk "other backbones are filled too: $output"
}

Paper.FillsTheTablesOfProtocols() {
  evaluation voc.json "$voc" '{"last_half":[{"part":"last half","zero_shot":{"logits":77},"bcp":{"logits":87}}],
    "non_iid":[{"gamma":"0.01","bcp":{"logits":85}}],"frequency":[{"group":"tail","labels":6,"zero_shot":{"logits":90},"bcp":{"logits":96}}],
    "anchors":[{"value":"2","bcp":{"logits":86}}],"warm_up":[{"value":"on","bcp":{"logits":88.60}}],
    "anchor_hit":[{"part":"miss","samples":9,"share":10.5,"zero_shot":{"logits":24},"bcp":{"logits":21}}],
    "orderings":[{"order":"file","bcp":{"logits":1}},{"order":"seed 0","bcp":{"logits":88}},{"order":"seed 1","bcp":{"logits":89}}]}'
  local table
  for table in 'last-half:87\.00 \(-0\.85\)' 'non-iid:85\.00 \(-1\.11\)' 'frequency:96\.00 \(\+0\.43\)' 'anchors:86\.00 \(-2\.15\)' 'warm-up:88\.60 \(\+0\.07\)' \
    'anchor-hit:10\.50 \(-0\.35\)' 'orderings:88\.50 \(\+0\.25\)'; do
    try bcp paper "$SCRATCH/voc.json" --table "${table%%:*}"
    expect_status 0
    expect_output "${table#*:}"
  done
  try bcp paper "$SCRATCH/voc.json" --table label-count
  expect_no_output '\('
}

Paper.AveragesOnlyWhatIsComplete() {
  local name
  for name in coco2014 coco2017 voc2007 voc2012; do evaluation $name.json "${voc/voc2007/$name}"; done
  try bcp paper "$SCRATCH"/*.json
  expect_output '^BCP .* 71\.79$'
  evaluation nuswide.json "${voc/voc2007/nuswide}"
  try bcp paper "$SCRATCH"/*.json
  expect_output '^BCP .* 71\.79 +88\.50 \(\+16\.71\)$'
}

Paper.SaysWhenItIsOfPartOfThePictures() {
  evaluation part.json "${voc/4952/310}"
  try bcp paper "$SCRATCH/part.json"
  expect_status 0
  expect_output "part\.json is of 310 pictures; the paper's VOC2007 has 4952"
}

Paper.SaysWhatElseIsOtherwiseThanThere() {
  evaluation as-there.json "${voc/\"preset\"/\"labels\":20,\"coverage\":\"centre\",\"difficult\":\"ignore\",\"prompt-template\":[\"a photo of a {\}\"],\"preset\"}"
  try bcp paper "$SCRATCH/as-there.json"
  expect_status 0
  expect_no_output '^Mind: '
  evaluation other.json "${voc/\"preset\"/\"labels\":80,\"coverage\":\"tiles\",\"difficult\":\"absent\",\"prompt-template\":[\"{\}\"],\"preset\"}"
  try bcp paper "$SCRATCH/other.json"
  expect_status 0
  expect_output "other\.json is of 80 labels; the paper's VOC2007 has 20"
  expect_output 'other\.json has other templates than the paper'
  expect_output 'other\.json has --coverage tiles'
  expect_output 'other\.json counts what is not to be judged as absent'
}

Paper.WritesMarkdown() {
  try bcp paper --table frequency --markdown
  expect_status 0
  expect_output '^\| dataset \| method \| head \| here \| medium \| here \| tail \| here \|$'
  expect_output '^\| VOC2007 \| BCP \| 88\.13 \| \| 82\.56 \| \| 95\.57 \| \|$'
}

Paper.AsksForWhatAFileDoesNotTell() {
  evaluation arrays.json '{"samples":4952,"dataset":null,"model":null}'
  try bcp paper "$SCRATCH/arrays.json"
  expect_status 1
  expect_one_sentence
  expect_output 'does not tell its data set: name it with --dataset \(COCO2014,'
  try bcp paper "$SCRATCH/arrays.json" --dataset voc2007
  expect_status 1
  expect_one_sentence
  expect_output 'name it with --backbone'
  try bcp paper "$SCRATCH/arrays.json" --dataset voc2007 --backbone RN50
  expect_status 0
  expect_output '^BCP .* 86\.93 +88\.50 \(\+1\.57\)'
}

Paper.RefusesFilesThatAreNoEvaluation() {
  try bcp paper "$SCRATCH/missing.json"
  expect_status 1
  expect_one_sentence
  expect_output 'missing\.json'
  printf 'nonsense' >"$SCRATCH/text.json"
  try bcp paper "$SCRATCH/text.json"
  expect_status 1
  expect_one_sentence
  expect_output 'text\.json is no JSON: give a file that gst-bcp eval --json wrote'
  printf '{"labels":[]}' >"$SCRATCH/other.json"
  try bcp paper "$SCRATCH/other.json"
  expect_status 1
  expect_one_sentence
  expect_output 'other\.json is JSON, but no evaluation'
  evaluation newer.json "$voc"
  sed -i 's/"version":1/"version":2/' "$SCRATCH/newer.json"
  try bcp paper "$SCRATCH/newer.json"
  expect_status 1
  expect_output 'version 2.*use a newer gst-bcp'
  evaluation folder.json '{"samples":9,"dataset":"folder","model":"clip-rn50"}'
  try bcp paper "$SCRATCH/folder.json"
  expect_status 1
  expect_output "is of folder, which is none of the paper's data sets"
  evaluation one.json "$voc"
  try bcp paper "$SCRATCH/one.json" "$SCRATCH/one.json"
  expect_status 1
  expect_one_sentence
  expect_output 'are both of VOC2007 with ViT-B/16: give one'
  try bcp paper --table nonsense
  expect_status 2
}

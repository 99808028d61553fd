# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# docs/paper_tables.py: which figure of the paper a result stands beside, and what is refused.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

paper() { /usr/bin/python3 "$ROOT/docs/paper_tables.py" "$@"; }

# An evaluation in $SCRATCH/$1, with settings and protocols as JSON.
evaluation() {
  printf '{"version":1,"settings":%s,"zero_shot":{"logits":79.00,"softmax":80},"bcp":{"logits":88.50,"softmax":81},"protocols":%s}' "$2" "${3:-{\}}" >"$SCRATCH/$1"
}

voc='{"samples":4952,"labels":20,"dataset":"voc2007","model":"clip-vit-b16","preset":"paper"}'

PaperTables.PutResultsBesideTheirFigures() {
  evaluation voc.json "$voc"
  try paper "$SCRATCH/voc.json"
  expect_status 0
  expect_output '^\| CLIP \| 54\.42 \| \| 54\.13 \| \| 79\.58 \| 79\.00 \(-0\.58\) \|'
  expect_output '^\| BCP \| 65\.47 \| \| 64\.92 \| \| 88\.41 \| 88\.50 \(\+0\.09\) \|'
  [ "$(grep -cE '^\| (CLIP|BCP) .*\(' <<<"$output")" -eq 2 ] || flunk "other backbones are filled too: $output"
  expect_no_output '^Mind: '
}

PaperTables.FillEveryProtocol() {
  evaluation voc.json "$voc" '{"last_half":[{"part":"last half","zero_shot":{"logits":77},"bcp":{"logits":87}}],
    "non_iid":[{"gamma":"0.01","bcp":{"logits":85}}],"frequency":[{"group":"tail","labels":6,"zero_shot":{"logits":90},"bcp":{"logits":96}}],
    "anchors":[{"value":"2","bcp":{"logits":86}}],"warm_up":[{"value":"on","bcp":{"logits":88.60}}],
    "anchor_hit":[{"part":"miss","samples":9,"share":10.5,"zero_shot":{"logits":24},"bcp":{"logits":21}}],
    "orderings":[{"order":"file","bcp":{"logits":1}},{"order":"seed 0","bcp":{"logits":88}},{"order":"seed 1","bcp":{"logits":89}}]}'
  local table
  for table in 'last-half:87\.00 \(-0\.85\)' 'non-iid:85\.00 \(-1\.11\)' 'frequency:96\.00 \(\+0\.43\)' 'anchors:86\.00 \(-2\.15\)' 'warm-up:88\.60 \(\+0\.07\)' \
    'anchor-hit:10\.50 \(-0\.35\)' 'orderings:88\.50 \(\+0\.25\)'; do
    try paper "$SCRATCH/voc.json" --table "${table%%:*}"
    expect_status 0
    expect_output "${table#*:}"
  done
  try paper "$SCRATCH/voc.json" --table label-count
  expect_status 0
  expect_no_output '\('
}

# What gst-bcp eval writes today, not a file made up here: the script must find its place in it.
PaperTables.ReadWhatEvalWrites() {
  local stream=$ROOT/tests/data/voc2007-stream
  "${BUILD:?}/tools/gst-bcp/gst-bcp" eval --logits "$stream/logits.npy" --truth "$stream/truth.npy" --names "$stream/labels.txt" \
    --protocol last-half --protocol anchors --json "$SCRATCH/own.json" >/dev/null
  try paper "$SCRATCH/own.json" --dataset voc2007 --backbone RN50
  expect_status 0
  expect_output '^\| CLIP .* 75\.91 \| 58\.38 \(-17\.53\) '
  expect_output '^\| BCP .* 86\.93 \| 62\.99 \(-23\.94\) '
  try paper "$SCRATCH/own.json" --dataset voc2007 --backbone RN50 --table last-half
  expect_output '^\| BCP .* 86\.73 \| 64\.34 '
  try paper "$SCRATCH/own.json" --dataset voc2007 --backbone ViT-B/16 --table anchors
  expect_output '^\| BCP \| 2 \| .* 88\.15 \| 63\.28 '
}

PaperTables.AverageOnlyWhatIsComplete() {
  local name
  for name in coco2014 coco2017 voc2007 voc2012; do evaluation $name.json "${voc/voc2007/$name}"; done
  try paper "$SCRATCH"/*.json
  expect_output '^\| BCP .* 71\.79 \| \|$'
  evaluation nuswide.json "${voc/voc2007/nuswide}"
  try paper "$SCRATCH"/*.json
  expect_output '^\| BCP .* 71\.79 \| 88\.50 \(\+16\.71\) \|$'
}

PaperTables.SayWhatDiffersFromThePaper() {
  evaluation other.json '{"samples":310,"labels":80,"dataset":"voc2007","model":"clip-vit-b16","coverage":"tiles","difficult":"absent","prompt-template":["{}"],"anchors":0}'
  try paper "$SCRATCH/other.json"
  expect_status 0
  expect_output "other\.json is of 310 pictures; the paper's VOC2007 has 4952"
  expect_output "other\.json is of 80 labels; the paper's VOC2007 has 20"
  expect_output 'other\.json has other templates than the paper'
  expect_output 'other\.json has --coverage tiles'
  expect_output 'other\.json counts what is not to be judged as absent'
  expect_output 'other\.json does not have BCP as in the paper'
  expect_no_output '88\.50'
}

PaperTables.RefuseWhatTheyCannotPlace() {
  local model
  evaluation arrays.json '{"samples":4952,"dataset":null,"model":null}'
  try paper "$SCRATCH/arrays.json"
  expect_status 1
  expect_output 'does not name its data set: add --dataset \(COCO2014,'
  for model in rn50x4 ViT-B-32__laion2b demo; do
    evaluation model.json "${voc/clip-vit-b16/$model}"
    try paper "$SCRATCH/model.json"
    expect_status 1
    expect_output "of the model $model.*add --backbone"
  done
  evaluation folder.json "${voc/voc2007/folder}"
  try paper "$SCRATCH/folder.json"
  expect_status 1
  expect_output 'is of folder, which is not a data set of the paper'
  printf '{"labels":[]}' >"$SCRATCH/no.json"
  try paper "$SCRATCH/no.json"
  expect_status 1
  expect_output 'no\.json is JSON, but not an evaluation'
  try paper "$SCRATCH/missing.json"
  expect_status 1
  expect_output 'missing\.json: No such file'
  evaluation one.json "$voc"
  try paper "$SCRATCH/one.json" "$SCRATCH/one.json"
  expect_status 1
  expect_output 'are both of VOC2007 with ViT-B/16: give one'
}

#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the pictures and the accuracy figures of README and docs again, after a change of the model, a rule or the drawing.
#
#   docs/figures.sh                  pictures and pages below
#   docs/figures.sh pictures         docs/pictures, from a committed clip (needs chromium: scripts/setup.sh --tests)
#   docs/figures.sh pages            figures and tables of the pages that committed data is enough for, written into the pages
#   docs/figures.sh slow             prints the two tables of docs/results.md that take minutes
#   docs/figures.sh coco DIR         prints the figures of docs/presence.md, which are copied by hand. DIR has real CLIP embeddings of
#                                    COCO, which are not in the repository: embeddings.npy, text.npy, labels.txt, truth.npy,
#                                    context.npy and context.txt (docs/presence.md describes them)
#   docs/figures.sh clip [FILE [NOUNS]]
#                                    prints which labels are shown how often in a clip, for docs/presence.md. Default: the street clip of
#                                    the demo, which scripts/setup.sh --clip downloads. NOUNS: what the clip shows, separated by commas
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# From the root, so that the report's command is one to type there.
cd "$root"

fail() {
  printf 'docs/figures.sh: %s\n' "$*" >&2
  exit 1
}

pictures() {
  local clip=tests/data/clips/intel_one-by-one.mp4
  local frame=187                                              # ten a second: a person, and a chair that is not there
  local full_range=video/x-raw,format=I420,colorimetry=1:4:0:0 # as every reader of JPEG takes it
  command -v chromium >/dev/null || fail "the picture of the report needs chromium: run scripts/setup.sh --tests"

  gst-launch-1.0 -q filesrc location="$clip" ! decodebin ! bcptagger ! videoscale ! video/x-raw,width=960,height=540 \
    ! bcpoverlay compare=true ! videoconvert ! "$full_range" ! jpegenc quality=85 ! multifilesink location="$scratch/%05d.jpg"
  cp "$scratch/$(printf %05d $frame).jpg" docs/pictures/frame.jpg

  gst-bcp run "$clip" --report "$scratch/report.html" --quiet
  chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --force-prefers-reduced-motion --window-size=1200,1420 \
    --virtual-time-budget=5000 --screenshot="$scratch/report.png" "file://$scratch/report.html" 2>/dev/null
  gst-launch-1.0 -q filesrc location="$scratch/report.png" ! pngdec ! videoconvert ! "$full_range" ! jpegenc quality=80 \
    ! filesink location=docs/pictures/report.jpg

  /usr/bin/python3 docs/live_page.py "$clip" "$scratch"
  local name
  for name in live-open live-typed live-taught live-phone; do
    gst-launch-1.0 -q filesrc location="$scratch/$name.png" ! pngdec ! videoconvert ! "$full_range" ! jpegenc quality=80 \
      ! filesink location="docs/pictures/$name.jpg"
  done
  printf 'docs/pictures: frame.jpg, report.jpg and live-*.jpg are new. Look at them.\n'
}

pages() {
  local page
  for page in docs/*.md; do
    grep -qE '^(```text|<!-- output of: )' "$page" || continue
    printf '%s\n' "$page"
    /usr/bin/python3 tests/docs/docs_blocks.py update "$page"
  done
  git --no-pager diff --stat -- docs
}

slow() {
  local voc=tests/data/voc2007-stream
  heading "Plain, corrected, and other methods"
  gst-bcp eval --logits $voc/logits.npy --embeddings $voc/embeddings.npy --text $voc/text.npy --truth $voc/truth.npy \
    --names $voc/labels.txt --adapter all
  heading "The rule of preset=video"
  /usr/bin/python3 tests/bench/presets.py
}

coco() {
  local arrays=() pair
  [ -n "${1:-}" ] || fail "coco needs the folder with the arrays: see docs/figures.sh --help"
  for pair in --embeddings=embeddings.npy --text=text.npy --names=labels.txt --truth=truth.npy --context-text=context.npy --context-names=context.txt; do
    [ -r "$1/${pair#*=}" ] || fail "$1/${pair#*=} is missing: see docs/figures.sh --help"
    arrays+=("${pair%%=*}" "$1/${pair#*=}")
  done
  heading "The labels that are shown"
  gst-bcp eval "${arrays[@]}" --protocol decision --protocol few-labels
  heading "BCP as published"
  gst-bcp eval "${arrays[@]}"
  heading "Each part of the rule"
  /usr/bin/python3 tests/bench/presence.py parts "${arrays[@]}"
  heading "Video"
  gst-bcp eval "${arrays[@]}" --protocol video
  heading "What a stream teaches without labels (takes minutes)"
  /usr/bin/python3 tests/bench/presence.py stream "${arrays[@]}"
}

heading() { printf '\n== %s\n\n' "$1"; }

clip() {
  local file=${1:-${GST_BCP_DEPS:-$root/.deps}/clips/bikes.mp4} nouns=${2:-person,car,bus,bicycle,motorcycle,vehicle}
  [ -r "$file" ] || fail "there is no $file: run scripts/setup.sh --clip, or name a clip"
  gst-bcp run "$file" --max-rate 10 --jsonl "$scratch/clip.jsonl" --quiet >/dev/null
  /usr/bin/python3 - "$scratch/clip.jsonl" "$nouns" <<'PYTHON'
import collections, json, sys
right = set(sys.argv[2].split(","))
results = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
print(f"{len(results)} results; labels that are shown, in % of results:")
for rule, key in (("plain CLIP, softmax from 0.2", "zero_shot_shown"), ("presence", "shown")):
    shown = [{label["label"] for label in result["labels"] if label[key]} for result in results]
    count = collections.Counter(name for names in shown for name in names)
    print(f"  {rule}: " + ", ".join(f"{name} {round(100 * n / len(results))}" for name, n in count.most_common()))
    wrong, two = sum(bool(names - right) for names in shown), sum(len(names & right) > 1 for names in shown)
    print(f"    results with a wrong noun: {wrong}, with two right ones: {two}")
PYTHON
}

case ${1:-all} in
  -h | --help)
    sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  all | pictures | pages | slow | coco | clip) ;;
  *) fail "unknown: $1. See docs/figures.sh --help" ;;
esac
# shellcheck source=pipelines/env.sh
. "$root/pipelines/env.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case ${1:-all} in
  all)
    pictures
    pages
    ;;
  *) "$@" ;;
esac

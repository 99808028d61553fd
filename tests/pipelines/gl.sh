# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Frames in GL memory, on a screen of their own and without a graphics card.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"
cd "${SCRATCH:?}"

toy=$ROOT/tests/data/bundles/toy

# The labels of each frame that $1 ... makes, in lines of JSON, without what differs from run to run.
labels() {
  local out=$1
  shift
  LIBGL_ALWAYS_SOFTWARE=1 GST_GL_PLATFORM=glx XDG_RUNTIME_DIR=$SCRATCH timeout 60 \
    xvfb-run -a gst-launch-1.0 -q "$@" >launch.log 2>&1 || flunk "the pipeline failed: $(cat launch.log)"
  sed -E 's/"utc":"[^"]*",//; s/"source":"[^"]*",//' results.jsonl >"$out"
  [ -s "$out" ] || flunk "no result: $(cat launch.log)"
}

Gl.FramesOfATestSourceAreScoredWhereTheyAre() {
  labels gl.txt gltestsrc num-buffers=3 pattern=green ! bcptagger model="$toy" decision=softmax ! bcppublish location=results.jsonl ! fakesink
  [ "$(grep -c '"anchor":{"label":"green"' gl.txt)" = 3 ] || flunk "not green: $(cat gl.txt)"
}

Gl.LabelsAreThoseOfSystemMemory() {
  local source=(videotestsrc num-buffers=5 pattern=smpte ! "video/x-raw,format=RGBA,width=320,height=240")
  local tagger=(bcptagger model=mini mode=sync ! bcppublish all-labels=true location=results.jsonl)
  labels system.txt "${source[@]}" ! "${tagger[@]}" ! fakesink
  labels gl.txt "${source[@]}" ! glupload ! glcolorconvert ! "${tagger[@]}" ! gldownload ! fakesink
  cmp system.txt gl.txt || flunk "the labels differ: $(diff system.txt gl.txt | head -c 2000)"
}

# The download happens on the worker, and only for frames that are scored.
Gl.LiveFramesDoNotWait() {
  labels gl.txt videotestsrc is-live=true num-buffers=20 pattern=red ! glupload ! bcptagger model="$toy" decision=softmax \
    mode=async ! bcppublish location=results.jsonl ! glimagesink
  grep -q '"anchor":{"label":"red"' gl.txt || flunk "not red: $(cat gl.txt)"
}

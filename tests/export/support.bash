# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the export cases share: the helpers of the shell suites, and ways to make, export and judge.
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

python=${GST_BCP_DEPS:-$ROOT/.deps}/export/bin/python
# Embeddings do not depend on it, and tests share the machine.
export OMP_NUM_THREADS=1

# Makes a checkpoint with random weights at $1: an architecture, and a form if not OpenAI's (make_checkpoint.py).
make_checkpoint() { "$python" "$ROOT/tests/export/make_checkpoint.py" "$@" 2>/dev/null; }

export_clip() { "$python" "$ROOT/models/export_clip.py" "$@"; }

judge() { "$python" "$ROOT/tests/export/judge.py" "$@"; }

# Runs the bundle $2 in the element with labels it has never seen, on a plain frame, and compares the scores with those of
# the weights $1 in PyTorch. The colour is the judge's, as 0xAARRGGBB.
run_in_element() {
  local line
  gst-launch-1.0 -q videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xffc83c14 \
    ! video/x-raw,format=RGB,width=224,height=224,framerate=1/1 \
    ! bcptagger model="$2" labels="cat, traffic light, street at night" threshold=0 \
    ! bcppublish location="$SCRATCH/results.jsonl" ! fakesink
  line=$(head -n 1 "$SCRATCH/results.jsonl")
  [ -n "$line" ] || flunk "the element published nothing"
  judge element "$1" "$2" "$line"
}

# From a checkpoint exactly as OpenAI's to bundles that run: the whole way for one architecture. The variants' cosines must
# reach $2 (fp16) and $3 (int8).
export_as_openai() {
  local checkpoint=$SCRATCH/$1.pt bundle=$SCRATCH/bundle
  make_checkpoint "$checkpoint" "$1"
  export_clip "$bundle" --checkpoint "$checkpoint" --licence none --variant fp16 --variant int8
  judge towers "$checkpoint" "$bundle"
  judge variant "$bundle" "$bundle-fp16" "$2"
  judge variant "$bundle" "$bundle-int8" "$3"
  run_in_element "$checkpoint" "$bundle"
}

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Families of models with random weights, from their own libraries to embeddings and logits of gst-bcp, on three pictures and
# twenty texts in several scripts.
set -euo pipefail
# shellcheck source=tests/export/support.bash
. "${ROOT:?}/tests/export/support.bash"

families() { "$python" "$ROOT/tests/export/families.py" "$@"; }

# $1 is one of the models in families.py, made by open_clip, and exported by export_clip.py.
export_and_compare() {
  families open-clip "$1" "$SCRATCH/source"
  export_clip "$SCRATCH/bundle" --open-clip "local-dir:$SCRATCH/source" --licence none
  families compare "$SCRATCH/source" "$SCRATCH/bundle" "$BUILD/tools/gst-bcp/gst-bcp"
}

Families.MobileClip2OfOpenClipScoresAsThere() { export_and_compare mobileclip2; }

Families.Eva02OfOpenClipScoresAsThere() { export_and_compare eva02; }

Families.DfnOfOpenClipScoresAsThere() { export_and_compare dfn; }

Families.MetaClipOfOpenClipScoresAsThere() { export_and_compare metaclip; }

Families.SiglipOfOpenClipScoresAsThere() { export_and_compare siglip; }

# What the ordinary tests read, made again: by this torch and these libraries.
Families.OfTransformersAndTheirLayoutsScoreAsThere() {
  local family
  families make "$SCRATCH/made"
  for family in siglip siglip2 mobileclip; do
    families compare "$SCRATCH/made/$family" "$SCRATCH/made/$family" "$BUILD/tools/gst-bcp/gst-bcp"
  done
}

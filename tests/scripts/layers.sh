# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The layers: what may include and link what.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

# Copies the sources to $SCRATCH/tree, as a repository of its own.
copy_sources() {
  mkdir "$SCRATCH/tree"
  (cd "$ROOT" && git ls-files -z -- src gst-plugin tools | tar --null -T - -cf -) | tar -C "$SCRATCH/tree" -xf -
  git -C "$SCRATCH/tree" init -q
  git -C "$SCRATCH/tree" add -A
}

Layers.NoFolderIncludesUpward() { /usr/bin/python3 "$ROOT/tests/scripts/layers.py" "$ROOT"; }

Layers.AnIncludeThatPointsUpwardIsFound() {
  copy_sources
  sed -i '1a #include "tag/stream_tagger.hpp"' "$SCRATCH/tree/src/adapt/bcp.cpp"
  sed -i '1a #include "eval/run.hpp"' "$SCRATCH/tree/gst-plugin/tagger/scorer.cpp"
  try /usr/bin/python3 "$ROOT/tests/scripts/layers.py" "$SCRATCH/tree"
  expect_status 1
  expect_output '^src/adapt/bcp\.cpp:2: adapt must not include "tag/stream_tagger\.hpp"$'
  expect_output '^gst-plugin/tagger/scorer\.cpp:2: tagger must not include "eval/run\.hpp"$'
}

# What the linker took into file $1, by namespace: symbols of local functions count too.
expect_no_symbols() {
  local file=$1 pattern=$2
  nm -C "$file" >"$SCRATCH/symbols"
  [ "$(wc -l <"$SCRATCH/symbols")" -gt 100 ] || flunk "nm finds next to nothing in $file"
  ! grep -E "$pattern" "$SCRATCH/symbols" | head -n 5 || flunk "$file contains $pattern"
}

Layers.ThePluginLinksNeitherEvalNorTheCommandLine() {
  expect_no_symbols "$BUILD/gst-plugin/libgstbcp.so" ' bcp::(eval|cli)::'
  nm -C "$BUILD/tools/gst-bcp/gst-bcp" >"$SCRATCH/symbols"
  grep -q ' bcp::eval::' "$SCRATCH/symbols" || flunk "nm does not show what gst-bcp links"
}

Layers.TestsOfTheCoreLinkNoGStreamer() {
  local program
  for program in "$BUILD"/tests/core/core-*; do
    if ! [ -f "$program" ] || ! [ -x "$program" ]; then continue; fi
    ! readelf -d "$program" | grep -E 'NEEDED.*(gst|glib|gobject)' || flunk "$program links GStreamer or GLib"
  done
}

Layers.OneFileIncludesOnnxRuntime() {
  local files
  files=$(cd "$ROOT" && git grep -lE '#include *[<"]onnxruntime' -- src gst-plugin tools)
  [ "$files" = src/onnx/session.cpp ] || flunk "ONNX Runtime is included by: $files"
}

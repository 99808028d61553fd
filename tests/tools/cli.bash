# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the tests of gst-bcp.
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

bcp() { "$BUILD/tools/gst-bcp/gst-bcp" "$@"; }

toy=$ROOT/tests/data/bundles/toy
# shellcheck disable=SC2034  # for the cases
words=$ROOT/tests/data/bundles/toy-words  # with a text tower
photograph=$ROOT/models/golden/franz-kafka.jpg

# Runs the Python code $1 with NumPy; the arrays in the .npy files named after it are a, b, ….
with_arrays() {
  local code=$1
  shift
  /usr/bin/python3 -c '
import sys, numpy as np
globals().update({name: np.load(path) for name, path in zip("abcd", filter(lambda path: path.endswith(".npy"), sys.argv))})
exec(sys.argv[1])' "$code" "$@"
}

make_pictures() { /usr/bin/python3 "$ROOT/tests/tools/pictures.py" "$SCRATCH" "$photograph"; }

# A usable bundle in the directory $1: the toy one under the name $2.
make_bundle() {
  mkdir -p "$(dirname "$1")"
  cp -r "$toy" "$1"
  sed -i "s/\"name\": \"toy\"/\"name\": \"$2\"/" "$1/bundle.json"
}

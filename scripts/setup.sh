#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes this tree usable on Debian 12 or 13: installs missing packages, downloads ONNX Runtime, and builds. It first lists what it
# will install; a second run has nothing to do.
#
#   scripts/setup.sh                install what building and running need, then build
#   scripts/setup.sh --tests        the same, with the tests, and axe-core for those of pages
#   scripts/setup.sh --lint         also install what `tests/run.sh --lint` and `--ci` need
#   scripts/setup.sh --cuda         also the CUDA build of ONNX Runtime
#   scripts/setup.sh --openvino     also ONNX Runtime with OpenVINO, and build with it: up to twice as fast if the processor
#                                   has bf16
#   scripts/setup.sh --redis-tls    also what `tests/run.sh --redis-tls` needs: on Debian 12, Debian 13's hiredis in .deps
#   scripts/setup.sh --export       only what models/export_clip.py needs, including torch (0.6 to 1.4 GB on the disk)
#   scripts/setup.sh --compare      only what `tests/run.sh --bench compare` needs: Python packages, and a Debian 13 tree for its
#                                   GStreamer (0.4 GB to download)
#   scripts/setup.sh --quantise     only what models/quantise.py needs (130 MB on the disk)
#   scripts/setup.sh --clip         only download the demo's clip
#   scripts/setup.sh --no-install   do not install system packages
#   scripts/setup.sh --no-build     stop before the build
#
# GST_BCP_DEPS sets the directory for downloads (default: .deps), GST_BCP_ONNXRUNTIME the prefix of your own ONNX Runtime.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/setup/parts.sh
. "$root/scripts/setup/parts.sh"

purposes=(build) install=yes build=product cuda=no openvino=no redis_tls=no clip=no only=
for argument in "$@"; do
  case $argument in
    --tests) purposes+=(tests) build=everything ;;
    --lint) purposes+=(tests lint) build=everything ;;
    --cuda) cuda=yes ;;
    --openvino) openvino=yes ;;
    --redis-tls) redis_tls=yes ;;
    --clip) clip=yes ;;
    --export | --compare | --quantise) only=${argument#--} ;;
    --no-install) install=no ;;
    --no-build) build=no ;;
    -h | --help)
      sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "setup.sh does not know $argument: see scripts/setup.sh --help." ;;
  esac
done

# Two set-ups at the same time would write to the same directories.
exec 9>"$deps/lock"
flock -n 9 || { say "Waiting for another set-up of this tree to end …" && flock 9; }

if [ "$clip" = yes ]; then
  ensure_clip
  exit 0
fi
if [ -n "$only" ]; then
  if [ "$install" = yes ]; then ensure_packages "$only"; fi
  "ensure_$only"
  exit 0
fi
if [ "$install" = yes ]; then ensure_packages "${purposes[@]}"; fi
ensure_onnxruntime
if [ "$build" = everything ]; then ensure_axe; fi
if [ "$cuda" = yes ]; then ensure_onnxruntime_gpu; fi
if [ "$openvino" = yes ]; then ensure_onnxruntime_openvino "$build"; fi
if [ "$redis_tls" = yes ]; then ensure_hiredis; fi
if [ "$build" != no ]; then build_tree "$build"; fi

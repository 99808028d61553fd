# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A Python environment for models/export_clip.py in .deps/export: Debian's torch, and pinned wheels for the rest.
: "${here:?}" "${deps:?}" "${python:?}"

# The interpreter to run models/export_clip.py with.
export_python() { printf '%s' "$deps/export/bin/python"; }

fill_export() {
  local into=$1 log=$deps/log/export.log
  say "To download: Python packages for exporting models: open_clip, transformers, onnx, onnxruntime and others (63 MB)"
  # Without pip inside: the system's pip installs into it, and ensurepip is a separate package on Debian.
  "$python" -m venv --system-site-packages --without-pip "$into" >"$log" 2>&1 ||
    fail "$into could not be made a Python environment: the reason is in $log."
  if ! PIP_REQUIRE_VIRTUALENV=0 "$python" -m pip --python "$into/bin/python" install --quiet --no-deps --only-binary=:all: \
    --require-hashes --disable-pip-version-check --no-input --timeout 10 --retries 1 --progress-bar off \
    -r "$here/export-requirements.txt" >>"$log" 2>&1; then
    explain_pip_failure "$log" "the packages of scripts/setup/export-requirements.txt"
  fi
  "$into/bin/python" -c 'import huggingface_hub, onnx, onnxruntime, open_clip, timm, tokenizers, torch, transformers' >>"$log" 2>&1 || {
    show_tail "$log"
    fail "The packages for exporting do not work together: the reason is above; run models/export_clip.py in your own Python environment (pip install torch open_clip_torch onnx onnxruntime)."
  }
  say "  in place: .deps/export"
}

ensure_export() {
  [ -n "$("$python" -c 'import importlib.util as u; print(u.find_spec("torch") or "")' 2>/dev/null)" ] ||
    fail "Debian's torch is not installed: run scripts/setup.sh --export, or apt-get install python3-torch python3-torchvision."
  fill_directory "$deps/export" fill_export "$("$python" --version) $(sha256_of "$here/export-requirements.txt")"
}

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# How the committed files read.
set -euo pipefail
# shellcheck source=tests/lint/support.bash
. "${ROOT:?}/tests/lint/support.bash"

# The rules are clang-format 14's; others lay the same code out differently.
Sources.AreFormatted() {
  committed '*.cpp' '*.hpp'
  clang-format-14 --dry-run -Werror "${files[@]}"
}

Sources.ScriptsPassShellcheck() {
  committed '*.sh' '*.bash' .ci/run
  cd "$ROOT"
  shellcheck --external-sources --source-path="$ROOT" "${files[@]}"
}

Sources.AreSpelledCorrectly() {
  committed ':!*.onnx' ':!*.safetensors' ':!*.mp4' ':!*.npy' ':!*.gz' ':!*.jpg' ':!*.inc' ':!LICENSE*' ':!*/LICENSE*' ':!tests/data/*' \
    ':!*/third_party/*/*'
  codespell --ignore-words "$ROOT/tests/lint/words" "${files[@]}"
}

# A registry is found by the machine's own settings: its address is nobody's business but the machine's.
Sources.NameNoPackageRegistry() {
  committed ':!LICENSE*' ':!*/LICENSE*' ':!*.mp4' ':!*.onnx'
  ! grep -InE '(deb\.debian|pypi|pythonhosted|archive\.ubuntu|npmjs)\.(org|com)' "${files[@]}"
}

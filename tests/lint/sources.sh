# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# How the committed files read.
set -euo pipefail
# shellcheck source=tests/lint/support.bash
. "${ROOT:?}/tests/lint/support.bash"

# The rules are clang-format 14's; others lay the same code out differently.
Sources.AreFormatted() {
  if ! command -v clang-format-14 >/dev/null; then
    echo "This distribution has no clang-format 14: formatting is checked on Debian 12."
    return 0
  fi
  committed '*.cpp' '*.hpp'
  clang-format-14 --dry-run -Werror "${files[@]}"
}

Sources.ScriptsPassShellcheck() {
  committed '*.sh' '*.bash' .ci/run
  cd "$ROOT"
  shellcheck --external-sources --source-path="$ROOT" "${files[@]}"
}

# In the first five lines, so that a copied file keeps its terms. Not in meson.build files, which are not copied alone,
# nor in embedded files and third_party.
Sources.NameTheirLicence() {
  local file found=yes
  committed '*.c' '*.h' '*.cpp' '*.hpp' '*.S.in' '*.sh' '*.bash' '*.py' '*.js' '*.css' .ci/run ':!*/third_party/*' ':!tests/data/*'
  for file in "${files[@]}"; do
    if ! head -n 5 "$file" | grep -q 'SPDX-License-Identifier: [A-Z]'; then
      printf '%s: has no SPDX-License-Identifier line at its top\n' "${file#"$ROOT/"}"
      found=no
    fi
  done
  [ "$found" = yes ]
}

Sources.AreSpelledCorrectly() {
  committed ':!*.onnx' ':!*.safetensors' ':!*.mp4' ':!*.npy' ':!*.gz' ':!*.jpg' ':!*.inc' ':!LICENSE*' ':!*/LICENSE*' ':!tests/data/*' ':!models/mini/training/*' \
    ':!*/third_party/*/*'
  codespell --ignore-words "$ROOT/tests/lint/words" "${files[@]}"
}

# A registry is found by the machine's own settings: its address stays out of the tree.
Sources.NameNoPackageRegistry() {
  committed ':!LICENSE*' ':!*/LICENSE*' ':!*.mp4' ':!*.onnx'
  ! grep -InE '(deb\.debian|pypi|pythonhosted|archive\.ubuntu|npmjs)\.(org|com)' "${files[@]}"
}

# The rules and their reason are at the top of plain_words.txt.
Sources.UsePlainWords() {
  committed '*.c' '*.h' '*.cpp' '*.hpp' '*.sh' '*.bash' '*.py' '*.js' '*.css' '*.html' '*.md' 'meson*' '*.build' .ci/run \
    ':!*/third_party/*' ':!tests/data/*' ':!tests/lint/plain_words.*' ':!models/mini/training/*'
  /usr/bin/python3 "$ROOT/tests/lint/plain_words.py" "$ROOT/tests/lint/plain_words.txt" "${files[@]}"
}

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp completion bash, used in a shell.
set -euo pipefail
# shellcheck source=tests/tools/cli.bash
. "${ROOT:?}/tests/tools/cli.bash"

# What bash offers for the command line that consists of these words; the last is being typed.
offers() {
  PATH=$BUILD/tools/gst-bcp:$PATH bash --norc -c '. <(gst-bcp completion bash)
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _gst_bcp
    printf "%s\n" "${COMPREPLY[@]}"' - "$@" 2>&1
}

expect_offer() {
  local wanted=$1 offered
  shift
  offered=$(offers "$@")
  grep -qxF -- "$wanted" <<<"$offered" || flunk "no $wanted among: $offered"
}

Completion.OffersCommandsAndOptions() {
  expect_offer run gst-bcp r
  expect_offer model gst-bcp ''
  expect_offer adapt gst-bcp a
  expect_offer --out-anchors gst-bcp adapt --out
  expect_offer check gst-bcp model ''
  expect_offer --jsonl gst-bcp run --j
  expect_offer --golden gst-bcp model check --
  expect_offer teach gst-bcp t
  expect_offer --base-url gst-bcp model get --b
  expect_offer table gst-bcp prior ta
  expect_offer --dry-run gst-bcp model calibrate --d
  expect_offer --min-count gst-bcp prior table --m
  [ -z "$(offers gst-bcp run --threshold '')" ] || flunk "it offers a number"
}

Completion.OffersValuesFilesAndModels() {
  cd "$SCRATCH"
  mkdir 'a folder'
  : >'a video.mp4'
  expect_offer paper gst-bcp run --preset ''
  expect_offer 'a video.mp4' gst-bcp run a
  expect_offer 'a folder' gst-bcp run --out a
  expect_offer mini gst-bcp run --model m
  expect_offer mini gst-bcp model check ''
  expect_offer siglip2-base gst-bcp model get sig
  expect_offer fp16 gst-bcp model get clip-vit-b32 --variant f
  expect_offer mini gst-bcp teach --model m
  expect_offer 'a folder' gst-bcp teach --from a
  expect_offer 'a video.mp4' gst-bcp explain a
}

Completion.IsInstalled() {
  meson install -C "$BUILD" --no-rebuild --destdir "$SCRATCH/root" >/dev/null
  local script
  script=$(find "$SCRATCH/root" -path '*/bash-completion/completions/gst-bcp')
  [ -n "$script" ] || flunk "meson install installed no completion"
  bash -n "$script"
}

Completion.IsValidBash() {
  command -v shellcheck >/dev/null || return 0
  bcp completion bash >"$SCRATCH/script"
  shellcheck --shell=bash --exclude=SC2207 "$SCRATCH/script"
}

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp model get openai:NAME from a mirror on this machine, with a file instead of the checkpoint. The export is left
# out or replaced by a script: the real one needs torch and is tested by tests/run.sh --export.
set -euo pipefail
# shellcheck source=tests/models/hub.bash
. "${ROOT:?}/tests/models/hub.bash"

# Starts the mirror with a file of 1 MB. Sets $sum, and $checkpoint, where the download ends up.
start_mirror() {
  start_hub
  head -c 1000000 /dev/urandom >"$SCRATCH/served"
  sum=$(sha256_of "$SCRATCH/served")
  mkdir -p "$SCRATCH/files/openai/$sum" "$SCRATCH/files/flat"
  cp "$SCRATCH/served" "$SCRATCH/files/openai/$sum/ViT-B-32.pt"
  cp "$SCRATCH/served" "$SCRATCH/files/flat/ViT-B-32.pt"
  checkpoint=$SCRATCH/cache/gst-bcp/checkpoints/ViT-B-32-${sum:0:8}.pt
  mkdir -p "$(dirname "$checkpoint")"
}

# Gets the checkpoint from the mirror $1.
get_from() {
  local mirror=$1
  shift
  get openai:clip-vit-b32 --base-url "$hub/files/$mirror" --sha256 "$sum" --licence none "$@"
}

expect_checkpoint() { cmp "$SCRATCH/served" "$checkpoint" || flunk "$checkpoint is not the file that was served; it printed: $output"; }

# A Python for the export that makes an empty bundle and leaves its arguments in SCRATCH/arguments.
play_export() {
  export GST_BCP_PYTHON=$SCRATCH/python
  # shellcheck disable=SC2016  # for the other shell
  printf '%s\n' '#!/bin/sh' 'printf "%s\n" "$@" >"'"$SCRATCH"'/arguments"' 'mkdir -p "$2" && echo new >"$2/bundle.json"' >"$GST_BCP_PYTHON"
  chmod +x "$GST_BCP_PYTHON"
}

GetOpenAI.DownloadsAndVerifies() {
  start_mirror
  get_from openai --no-export
  expect_status 0
  expect_output "^Verified: $checkpoint\$"
  expect_checkpoint
  [ ! -e "$checkpoint.incomplete" ] || flunk "the partial file was left"
  expect_requests 1 "/files/openai/$sum/ViT-B-32\.pt whole"
}

GetOpenAI.ResumesWhatAnEarlierRunLeft() {
  start_mirror
  head -c 600000 "$SCRATCH/served" >"$checkpoint.incomplete"
  get_from openai --no-export
  expect_status 0
  expect_output '^Resuming ViT-B-32\.pt at 600 kB'
  expect_checkpoint
  expect_requests 1 'bytes=600000- anonymous 400000$'
  expect_requests 1 '.'
}

GetOpenAI.TakesAPartThatIsCompleteAlready() {
  start_mirror
  cp "$SCRATCH/served" "$checkpoint.incomplete"
  get_from openai --no-export
  expect_status 0
  expect_checkpoint
}

GetOpenAI.FindsTheFileOnAMirrorWithoutDirectories() {
  start_mirror
  get_from flat --no-export
  expect_status 0
  expect_checkpoint
}

GetOpenAI.RefusesOpenAisNameForOtherWeights() {
  start_mirror
  cp "$SCRATCH/served" "$SCRATCH/files/flat/RN50.pt"
  get clip-rn50 --base-url "$hub/files/flat" --no-export
  expect_status 1
  expect_one_sentence
  expect_output 'instead of afeb0e10f9e5a86da6080e35cf09123aca3b358a0c3e3b6c78a7b63bc04b6762'
  [ -z "$(find "$SCRATCH/cache" -name 'RN50*.pt' -o -name 'RN50*.incomplete')" ] || flunk "the wrong file was kept"
}

GetOpenAI.LeavesAnInstalledBundleWhenTheChecksumIsWrong() {
  start_mirror
  sum=$(printf '0%.0s' {1..64})
  mkdir -p "$models/clip-vit-b32"
  echo old >"$models/clip-vit-b32/bundle.json"
  get_from flat --again
  expect_status 1
  expect_one_sentence
  expect_output "instead of $sum"
  [ "$(cat "$models/clip-vit-b32/bundle.json")" = old ] || flunk "the installed bundle was touched"
}

GetOpenAI.SaysThatTheAddressDoesNotExist() {
  start_mirror
  get_from missing --no-export
  expect_status 1
  expect_one_sentence
  expect_output 'does not exist \(HTTP status 404\): check the address, or give a mirror with --base-url'
}

GetOpenAI.KnowsTheNamesPeopleUse() {
  local name
  start_mirror
  for name in clip-vit-b32 ViT-B/32 vit-b-32 VIT_B_32 ViT-B-32.pt openai/clip-vit-base-patch32; do
    get "openai:$name" --base-url "$hub/files/flat" --sha256 "$sum" --no-export
    expect_status 0
    expect_output "^Verified: $checkpoint\$"
  done
  expect_requests 1 '/flat/ViT'
  get resnet50 --base-url "$hub/files/missing" --no-export
  expect_output 'RN50\.pt'
  get openai:clip-vit-z99
  expect_status 1
  expect_output 'OpenAI has no checkpoint clip-vit-z99: choose one of clip-rn50, clip-rn101, clip-vit-b32, clip-vit-b16'
}

GetOpenAI.InstallsWhereTheElementLooks() {
  start_mirror
  play_export
  get_from openai --variant fp16
  expect_status 0
  expect_output 'bcptagger model=clip-vit-b32 '
  [ "$(cat "$models/clip-vit-b32/bundle.json")" = new ]
  [ ! -e "$checkpoint" ] || flunk "the checkpoint was kept without --keep"
  [ "$(tail -n +2 "$SCRATCH/arguments" | paste -sd ' ')" = \
    "$models/clip-vit-b32 --checkpoint $checkpoint --licence none --variant fp16" ] || flunk "$(cat "$SCRATCH/arguments")"
}

GetOpenAI.InstallsElsewhereAndKeepsTheCheckpointOnRequest() {
  start_mirror
  play_export
  get_from openai --into "$SCRATCH/my models" --keep
  expect_status 0
  expect_output "bcptagger model=\"$SCRATCH/my models/clip-vit-b32\" "
  [ "$(cat "$SCRATCH/my models/clip-vit-b32/bundle.json")" = new ]
  expect_checkpoint
}

GetOpenAI.LeavesAnInstalledBundleAloneUnlessAskedTo() {
  start_mirror
  play_export
  mkdir -p "$models/clip-vit-b32"
  echo old >"$models/clip-vit-b32/bundle.json"
  get_from openai
  expect_status 0
  expect_output 'installed already'
  [ ! -e "$SCRATCH/requests" ] || flunk "it asked the mirror"
  get_from openai --again
  [ "$(cat "$models/clip-vit-b32/bundle.json")" = new ]
  get_from openai --variant int8
  expect_no_output 'installed already'
}

GetOpenAI.ReplacesNothingThatIsNotAModel() {
  start_mirror
  play_export
  mkdir -p "$models/clip-vit-b32-fp16"
  echo x >"$models/clip-vit-b32-fp16/me.jpg"
  get_from openai --variant fp16 --again
  expect_status 1
  expect_one_sentence
  expect_output 'clip-vit-b32-fp16 already exists and is not a model'
  [ ! -e "$SCRATCH/arguments" ] || flunk "it was exported: $(cat "$SCRATCH/arguments")"
}

GetOpenAI.KeepsTheVerifiedCheckpointWhenTheExportFails() {
  start_mirror
  GST_BCP_PYTHON=/bin/false get_from openai
  expect_status 1
  expect_one_sentence
  expect_output "verified checkpoint stays at $checkpoint"
  expect_checkpoint
}

GetOpenAI.SaysWhatToDoWithoutTheSourceTree() {
  start_mirror
  cp "$BUILD/tools/gst-bcp/gst-bcp" "$SCRATCH/gst-bcp"
  try "$SCRATCH/gst-bcp" model get openai:RN50
  expect_status 1
  expect_one_sentence
  expect_output 'export_clip\.py, which is part of gst-bcp.s source tree and is not installed: run this from a source tree'
}

GetOpenAI.RunsNoScriptThatLiesAboveTheProgram() {
  start_mirror
  play_export
  mkdir -p "$SCRATCH/bin" "$SCRATCH/models"
  cp "$BUILD/tools/gst-bcp/gst-bcp" "$SCRATCH/bin/gst-bcp"
  echo >"$SCRATCH/models/export_clip.py"
  try "$SCRATCH/bin/gst-bcp" model get openai:RN50 --base-url "$hub/files/flat"
  expect_status 1
  expect_output 'export_clip\.py, which is part of gst-bcp.s source tree and is not installed'
}

GetOpenAI.ExportsOneAfterTheOther() {
  local first second
  start_mirror
  play_export
  # shellcheck disable=SC2016  # for the other shell
  printf '%s\n' '#!/bin/sh' 'mkdir "'"$SCRATCH"'/busy" || exit 1' 'sleep 1' 'rmdir "'"$SCRATCH"'/busy"' \
    'mkdir -p "$2" && echo new >"$2/bundle.json"' >"$GST_BCP_PYTHON"
  local line=(openai:clip-vit-b32 --base-url "$hub/files/flat" --sha256 "$sum" --licence none --again --keep)
  bcp model get "${line[@]}" >"$SCRATCH/one" 2>&1 &
  first=$!
  bcp model get "${line[@]}" >"$SCRATCH/two" 2>&1 &
  second=$!
  wait "$first" || flunk "$(cat "$SCRATCH/one")"
  wait "$second" || flunk "$(cat "$SCRATCH/two")"
  output=$(cat "$SCRATCH/one" "$SCRATCH/two")
  expect_output 'Another process is installing clip-vit-b32: waiting for it'
}

GetOpenAI.NeedsTheLicenceOfOtherWeights() {
  start_mirror
  get openai:RN50 --sha256 "$sum"
  expect_status 1
  expect_output '--sha256 is for your own weights: give their licence with --licence'
  get hf:acme/clip --sha256 "$sum"
  expect_status 1
  expect_output 'a repository has its own checksums'
  get openai:RN50 --sha256 12
  expect_status 2
  expect_output '12 is not a sha256'
}

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# models/fetch.sh against a mirror on this machine, with a file that stands for the checkpoint. The export is left out or
# played by a script: the real one needs torch and is tested by tests/run.sh --export.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

# Starts the mirror with a file of 1 MB. Sets $mirror, $sum, and $checkpoint, where the download ends up.
start_mirror() {
  head -c 1000000 /dev/urandom >"$SCRATCH/served"
  sum=$(sha256sum "$SCRATCH/served" | cut -d ' ' -f 1)
  /usr/bin/python3 "$ROOT/tests/models/checkpoint_server.py" "$SCRATCH/served" "$SCRATCH" &
  for _ in $(seq 100); do
    if [ -f "$SCRATCH/port" ]; then break; fi
    sleep 0.1
  done
  mirror=http://127.0.0.1:$(cat "$SCRATCH/port")
  export XDG_CACHE_HOME=$SCRATCH/cache XDG_DATA_HOME=$SCRATCH/data
  checkpoint=$SCRATCH/cache/gst-bcp/checkpoints/ViT-B-32-${sum:0:8}.pt
  mkdir -p "$(dirname "$checkpoint")"
}

# Fetches the checkpoint from the mirror that behaves as $1 says; further arguments go to fetch.sh.
fetch_from() {
  local kind=$1
  shift
  try "$ROOT/models/fetch.sh" clip-vit-b32 --base-url "$mirror/$kind" --sha256 "$sum" --licence none "$@"
}

expect_checkpoint() { cmp "$SCRATCH/served" "$checkpoint" || flunk "$checkpoint is not the file that was served; it printed: $output"; }

# A Python for the export that makes an empty bundle and leaves its arguments in SCRATCH/arguments.
play_export() {
  export GST_BCP_PYTHON=$SCRATCH/python
  # shellcheck disable=SC2016  # for the other shell
  printf '%s\n' '#!/bin/sh' 'printf "%s\n" "$@" >"'"$SCRATCH"'/arguments"' 'mkdir -p "$2" && echo new >"$2/bundle.json"' >"$GST_BCP_PYTHON"
  chmod +x "$GST_BCP_PYTHON"
}

Fetch.DownloadsAndVerifies() {
  start_mirror
  fetch_from good --no-export
  expect_status 0
  expect_output "^Verified: $checkpoint\$"
  expect_checkpoint
  [ ! -e "$checkpoint.part" ]
  grep -qx "/good/$sum/ViT-B-32.pt whole" "$SCRATCH/requests"
}

Fetch.ResumesWhatAnEarlierRunLeft() {
  start_mirror
  head -c 600000 "$SCRATCH/served" >"$checkpoint.part"
  fetch_from good --no-export
  expect_status 0
  expect_output '^Resuming'
  expect_checkpoint
  [ "$(cat "$SCRATCH/requests")" = "/good/$sum/ViT-B-32.pt bytes=600000-" ] || flunk "$(cat "$SCRATCH/requests")"
}

Fetch.GoesOnWhereTheConnectionWasCut() {
  start_mirror
  fetch_from cut --no-export
  expect_status 0
  expect_output 'download stopped at .*trying again'
  expect_checkpoint
  grep -q 'bytes=800000-' "$SCRATCH/requests" || flunk "$(cat "$SCRATCH/requests")"
}

Fetch.GivesUpOnAMirrorThatSendsNothingAndKeepsWhatIsThere() {
  start_mirror
  head -c 300000 "$SCRATCH/served" >"$checkpoint.part"
  fetch_from silent --no-export
  expect_failure
  expect_one_sentence
  expect_output 'fails again and again.*300000 bytes'
  [ "$(stat -c %s "$checkpoint.part")" -eq 300000 ]
}

Fetch.TriesABusyMirrorAgain() {
  start_mirror
  fetch_from busy --no-export
  expect_status 0
  expect_output '503.*trying again'
  expect_checkpoint
}

Fetch.StartsAgainWhereTheMirrorCannotResume() {
  start_mirror
  head -c 600000 "$SCRATCH/served" >"$checkpoint.part"
  fetch_from whole --no-export
  expect_status 0
  expect_output 'cannot resume: starting again'
  expect_checkpoint
}

Fetch.StartsAgainWhenWhatWasLeftBelongsToAnotherFile() {
  start_mirror
  head -c 600000 /dev/zero >"$checkpoint.part"
  fetch_from good --no-export
  expect_status 0
  expect_output 'does not fit together'
  expect_checkpoint
}

Fetch.TakesAPartThatIsCompleteAlready() {
  start_mirror
  cp "$SCRATCH/served" "$checkpoint.part"
  fetch_from good --no-export
  expect_status 0
  expect_checkpoint
}

Fetch.RefusesAFileWithAnotherSumAndSaysBoth() {
  local served
  start_mirror
  served=$sum
  sum=$(printf '0%.0s' {1..64})
  mkdir -p "$SCRATCH/data/gst-bcp/models/clip-vit-b32"
  echo old >"$SCRATCH/data/gst-bcp/models/clip-vit-b32/bundle.json"
  fetch_from good --again
  expect_failure
  expect_one_sentence
  expect_output "refused: its sha256 is $served and must be $sum"
  [ "$(cat "$SCRATCH/data/gst-bcp/models/clip-vit-b32/bundle.json")" = old ] || flunk "the installed bundle was touched"
  [ -z "$(find "$SCRATCH/cache" -name '*.pt' -o -name '*.part')" ] || flunk "the wrong file was kept"
}

Fetch.RefusesOpenAisNameForOtherWeights() {
  start_mirror
  try "$ROOT/models/fetch.sh" clip-rn50 --base-url "$mirror/good" --no-export
  expect_failure
  expect_one_sentence
  expect_output 'must be afeb0e10f9e5a86da6080e35cf09123aca3b358a0c3e3b6c78a7b63bc04b6762'
}

Fetch.SaysThatTheAddressDoesNotExist() {
  start_mirror
  fetch_from missing --no-export
  expect_failure
  expect_one_sentence
  expect_output 'does not exist .*404'
}

Fetch.FindsTheFileOnAMirrorWithoutDirectories() {
  start_mirror
  fetch_from flat --no-export
  expect_status 0
  expect_checkpoint
}

Fetch.SaysThatTheMirrorIsOutOfReach() {
  start_mirror
  mirror=http://127.0.0.1:9 fetch_from good --no-export
  expect_failure
  expect_one_sentence
  expect_output '^gst-bcp: 127\.0\.0\.1:9 is out of reach'
}

Fetch.SaysThatTheDiskIsFull() {
  start_mirror
  ln -s /dev/full "$checkpoint.part"
  fetch_from good --no-export
  expect_failure
  expect_one_sentence
  expect_output 'disk full'
}

Fetch.KeepsWhatWasFetchedWhenInterrupted() {
  local process
  start_mirror
  # In a group of its own, as on a terminal, where the signal reaches curl too.
  setsid "$ROOT/models/fetch.sh" clip-vit-b32 --base-url "$mirror/slow" --sha256 "$sum" --no-export >"$SCRATCH/said" 2>&1 &
  process=$!
  for _ in $(seq 100); do
    if [ -s "$checkpoint.part" ]; then break; fi
    sleep 0.1
  done
  kill -TERM -- "-$process"
  if wait "$process"; then flunk "it succeeded"; fi
  [ -s "$checkpoint.part" ] || flunk "$(cat "$SCRATCH/said")"
  grep -q 'Interrupted: what was fetched is kept' "$SCRATCH/said" || flunk "$(cat "$SCRATCH/said")"
}

Fetch.KnowsTheNamesPeopleUse() {
  local name
  start_mirror
  for name in clip-vit-b32 ViT-B/32 vit-b-32 VIT_B_32 ViT-B-32.pt openai/clip-vit-base-patch32; do
    try "$ROOT/models/fetch.sh" "$name" --base-url "$mirror/good" --sha256 "$sum" --no-export
    expect_status 0
    expect_output "^Verified: $checkpoint\$"
  done
  [ "$(wc -l <"$SCRATCH/requests")" -eq 1 ] || flunk "a verified checkpoint was downloaded again"
  try "$ROOT/models/fetch.sh" resnet50 --base-url "$mirror/missing" --no-export
  expect_output 'RN50\.pt'
}

Fetch.RefusesANameItDoesNotKnow() {
  try "$ROOT/models/fetch.sh" clip-vit-z99
  expect_failure
  expect_one_sentence
  expect_output 'No model is called clip-vit-z99.*--list'
}

Fetch.ListsTheModels() {
  try "$ROOT/models/fetch.sh" --list
  expect_status 0
  expect_output '^clip-rn101 .*RN101\.pt'
  expect_output '^clip-vit-b16 .*ViT-B-16\.pt'
}

Fetch.SaysThatCurlIsMissing() {
  local tool
  mkdir "$SCRATCH/bin"
  for tool in bash dirname sed grep; do ln -s "$(command -v "$tool")" "$SCRATCH/bin/$tool"; done
  PATH=$SCRATCH/bin try bash "$ROOT/models/fetch.sh" clip-rn50
  expect_failure
  expect_one_sentence
  expect_output 'curl is not installed.*apt-get install curl'
}

Fetch.InstallsWhereTheElementLooks() {
  start_mirror
  play_export
  fetch_from good --variant fp16
  expect_status 0
  expect_output "model=clip-vit-b32\$"
  [ "$(cat "$SCRATCH/data/gst-bcp/models/clip-vit-b32/bundle.json")" = new ]
  [ ! -e "$checkpoint" ] || flunk "the checkpoint was kept without --keep"
  [ "$(tail -n +2 "$SCRATCH/arguments" | paste -sd ' ')" = \
    "$SCRATCH/data/gst-bcp/models/clip-vit-b32 --checkpoint $checkpoint --licence none --variant fp16" ] || flunk "$(cat "$SCRATCH/arguments")"
}

Fetch.InstallsElsewhereAndKeepsTheCheckpointOnRequest() {
  start_mirror
  play_export
  fetch_from good --into "$SCRATCH/my models" --keep
  expect_status 0
  expect_output "model=$SCRATCH/my models/clip-vit-b32\$"
  [ "$(cat "$SCRATCH/my models/clip-vit-b32/bundle.json")" = new ]
  expect_checkpoint
}

Fetch.LeavesAnInstalledBundleAloneUnlessToldOtherwise() {
  start_mirror
  play_export
  mkdir -p "$SCRATCH/data/gst-bcp/models/clip-vit-b32"
  echo old >"$SCRATCH/data/gst-bcp/models/clip-vit-b32/bundle.json"
  fetch_from good
  expect_status 0
  expect_output 'installed already'
  [ ! -e "$SCRATCH/requests" ] || flunk "it asked the mirror"
  fetch_from good --again
  [ "$(cat "$SCRATCH/data/gst-bcp/models/clip-vit-b32/bundle.json")" = new ]
  fetch_from good --variant int8
  expect_no_output 'installed already'
}

Fetch.KeepsTheVerifiedCheckpointWhenTheExportFails() {
  start_mirror
  GST_BCP_PYTHON=/bin/false fetch_from good
  expect_failure
  expect_one_sentence
  expect_output "verified checkpoint stays at $checkpoint"
  expect_checkpoint
}

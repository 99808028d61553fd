# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run --record: recordings of cameras. tests/bench/recordings.py ends it at random moments.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"

begin() {
  start_run "$@" >run.out 2>run.err
  processes+=("$run")
}

has_files() { [ "$(find recordings -name "*.$1" 2>/dev/null | wc -l)" -ge "$2" ]; }

said() { grep -qE -- "$1" run.err; }

interrupt() {
  local status=0
  kill -INT "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status: $(cat run.err)"
}

expect_playable() {
  local file
  for file in "$@"; do
    try gst-launch-1.0 -q filesrc location="$file" ! decodebin ! fakesink
    expect_status 0
  done
}

RunRecord.StoresTheStreamOfTheCameraInFilesOfTheLengthGiven() {
  local run
  camera
  begin door="$address" --record recordings/ --record-segment 1
  wait_until "$run" has_files mp4 3
  wait_until "$run" has_files vtt 1
  interrupt
  expect_playable recordings/door/*.mp4
  /usr/bin/python3 - <<'PYTHON'
import glob, json, os
entries = [json.loads(line) for line in open("recordings/door/index.jsonl")]
files = sorted(os.path.basename(name) for name in glob.glob("recordings/door/*.mp4"))
assert [entry["file"] for entry in entries] == files, (entries, files)
assert all(entry["video"] == "H.264" and entry["ended"] == "whole" for entry in entries), entries
assert all(abs(entry["seconds"] - 1) < 1.1 for entry in entries[:2]), entries
assert all(entry["bytes"] == os.path.getsize("recordings/door/" + entry["file"]) for entry in entries), entries
labels = [json.loads(line) for name in glob.glob("recordings/door/2*.jsonl") for line in open(name)]
assert labels and all("label" in label for line in labels for label in line["labels"]), labels
PYTHON
  grep -q '^WEBVTT' recordings/door/*.vtt || flunk "no subtitles"
}

RunRecord.KeepsWhatWasRecordedWhenItIsKilled() {
  local run
  camera
  begin door="$address" --record recordings/
  wait_until "$run" has_size mp4 10000
  kill -9 "$run"
  wait "$run" 2>/dev/null || true
  expect_playable recordings/door/*.mp4
  begin door="$address" --record recordings/
  wait_until "$run" said 'was being written when an earlier run stopped; its first [0-9.]+ s are kept'
  interrupt
  grep -q '"ended":"recovered"' recordings/door/index.jsonl || flunk "$(cat recordings/door/index.jsonl)"
  expect_playable recordings/door/*.mp4
}
# A file with the ending $1 has more than $2 bytes; there are $3 of them.
has_size() { [ "$(find recordings -name "*.$1" -size +"$2"c 2>/dev/null | wc -l)" -ge "${3:-1}" ]; }

RunRecord.BeginsANewFileWhenACameraIsBack() {
  local run port
  camera
  port=$(port_of_address)
  begin door="$address" --record recordings/ --record-format mkv
  wait_until "$run" has_size mkv 3000
  kill_camera
  wait_until "$run" said 'is lost'
  size=width=320,height=180 camera_with --port "$port"
  wait_until "$run" has_size mkv 3000 2
  interrupt
  expect_playable recordings/door/*.mkv
}

RunRecord.RecordsClipsWhenAConditionIsTrue() {
  local run
  camera
  begin door="$address" --record recordings/ --record-when 'any' --record-before 1 --record-after 1
  wait_until "$run" has_size mp4 3000
  interrupt
  grep -q '"event":"any"' recordings/door/index.jsonl || flunk "$(cat recordings/door/index.jsonl run.err)"
  begin door="$address" --record none/ --record-when 'not any and any' --jsonl made.jsonl
  wait_until "$run" has_lines made.jsonl 10
  interrupt
  [ -z "$(find none -name '*.mp4')" ] || flunk "a clip was recorded"
}

RunRecord.RefusesOptionsThatDoNotFit() {
  try bcp_run door=rtsp://127.0.0.1:1/x --record recordings/ --record-when 'person and ('
  expect_status 2
  expect_output '^gst-bcp: --record-when: expected a label after "\(" at character 13; see: '
  expect_output '^  person and \($'
  expect_output '^              \^$'
  try bcp_run door=rtsp://127.0.0.1:1/x --record recordings/ --record-when ''
  expect_status 2
  expect_output 'the condition is empty'
  try bcp_run "$clip" --record recordings/
  expect_status 2
  expect_output '--record is for cameras'
  try bcp_run door=rtsp://127.0.0.1:1/x --record recordings/ --record-keep-size 5X
  expect_output '"5X" is not a size'
  try bcp_run door=rtsp://127.0.0.1:1/x --record-segment 5
  expect_status 2
  expect_output 'need a folder: add --record'
  local name
  for name in 'front door' .. .hidden ../evil; do  # some would leave the folder
    try bcp_run "$name=rtsp://user:secret@127.0.0.1:1/x" --record recordings/
    expect_output "\"${name//./\\.}\" is not a camera's name: use letters"
    expect_no_output secret
  done
}

RunRecord.KeepsNoMoreThanTheSizeGiven() {
  local run
  camera
  begin door="$address" --record recordings/ --record-keep-size 24K --jsonl made.jsonl
  wait_until "$run" grep -q removed recordings/door/index.jsonl
  labels_go_on
  interrupt
  [ "$(du -bc recordings/door/*.mp4 | tail -1 | cut -f1)" -le 24000 ] || flunk "$(ls -l recordings/door)"
  [ "$(grep -c 'files are ended early' run.err)" -eq 1 ] || flunk "$(cat run.err)"
}

labels_go_on() {
  local lines
  lines=$(wc -l <made.jsonl)
  wait_until "$run" has_lines made.jsonl $((lines + 10))
}

# A file system of $1 kB in the folder disk, until the case ends; $disk is what a fault of it is called. Without the right to mount
# one, a limit on the size of files takes its place, or the permissions of the folder.
small_disk() {
  mkdir disk
  if mount -t tmpfs -o size="$1"k bcp-test disk 2>mount.err; then
    trap 'end_servers $?; umount -l "$SCRATCH/disk"' EXIT
    disk=mounted
  else
    disk=limited
  fi
}

RunRecord.GoesOnWhenTheDiskIsFull() {
  local run disk
  camera
  small_disk 120
  if [ "$disk" = mounted ]; then
    head -c 80K /dev/zero >disk/filler
    begin door="$address" --record disk/recordings --record-segment 2 --jsonl made.jsonl
  else
    trap '' XFSZ  # a write beyond the limit fails, and does not end the program
    ulimit -f 24
    begin door="$address" --record disk/recordings --jsonl made.jsonl --max-rate 4  # the results reach the limit much later
  fi
  wait_until "$run" said 'door is not recorded: .*(No space left|File too large).*; video and labels go on'
  labels_go_on
  rm -f disk/filler
  wait_until "$run" said 'door: the recording continues with'
  interrupt
  [ "$disk" = limited ] || [ "$(grep -c 'is not recorded' run.err)" -eq 1 ] || flunk "$(cat run.err)"
  expect_playable disk/recordings/door/*.mp4
  expect_index disk/recordings/door
}

RunRecord.GoesOnWhenTheDiskIsReadOnly() {
  local run disk
  camera
  small_disk 1000
  if [ "$disk" = mounted ]; then mount -o remount,ro disk; else chmod a-w disk; fi
  begin door="$address" --record disk/recordings --jsonl made.jsonl
  wait_until "$run" said 'door is not recorded: .*(Read-only file system|Permission denied)'
  wait_until "$run" has_lines made.jsonl 1
  labels_go_on
  if [ "$disk" = mounted ]; then mount -o remount,rw disk; else chmod u+w disk; fi
  wait_until "$run" said 'door: the recording continues with'
  interrupt
  [ "$(grep -c 'is not recorded' run.err)" -eq 1 ] || flunk "$(cat run.err)"
  expect_playable disk/recordings/door/*.mp4
  expect_index disk/recordings/door
}

# The index of the folder lists its videos, and no labels are left of videos that are gone.
expect_index() {
  /usr/bin/python3 - "$1" <<'PYTHON'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
listed = {entry["file"]: entry["bytes"] for entry in map(json.loads, (folder / "index.jsonl").read_text().splitlines()) if "file" in entry}
there = {file.name: file.stat().st_size for file in folder.glob("*.mp4")}
assert listed == there, (listed, there)
assert {file.stem for file in folder.glob("2*.*")} == {name[:-4] for name in there}, sorted(folder.iterdir())
PYTHON
}

RunRecord.NamesTheVideoThatAKilledRunLeft() {
  local run
  camera
  begin door="$address" --out cam.mp4
  wait_until "$run" part_has_fragments 2
  kill -9 "$run"
  wait "$run" 2>/dev/null || true
  expect_playable .cam.mp4.part
  begin door="$address" --out cam.mp4
  wait_until "$run" said 'an earlier run was stopped while it wrote cam.mp4; its first [0-9.]+ s are in cam-recovered.mp4'
  wait_until "$run" part_has_fragments 2
  interrupt
  expect_playable cam-recovered.mp4 cam.mp4
  expect_no_parts
}
# The last of them may be incomplete.
part_has_fragments() { [ "$(grep -oa moof .cam.mp4.part 2>/dev/null | wc -l)" -ge "$1" ]; }

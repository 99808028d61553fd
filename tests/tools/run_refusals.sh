# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run: its errors.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"

# One sentence that matches $1, exit code $2, of gst-bcp run with the rest.
refuses() {
  local sentence=$1 code=$2
  shift 2
  try bcp_run "$@"
  expect_status "$code"
  expect_one_sentence
  expect_output "$sentence"
  expect_no_parts
}

RunRefusals.SayWhatIsWrongWithACommandLine() {
  local time
  make_video a.mp4 2
  make_video b.mp4 2
  refuses 'one of \.mp4, \.m4v, \.mov, \.mkv, \.webm' 2 a.mp4 --out made.xyz
  refuses 'one file for 2 inputs: give a folder' 2 a.mp4 b.mp4 --out made.mp4
  refuses 'one page for 2 inputs: give a folder' 2 a.mp4 b.mp4 --report made.html
  refuses 'has no property nonsense' 2 a.mp4 --set nonsense=1
  refuses 'of the form property=value' 2 a.mp4 --set nonsense
  refuses 'out of range for threshold' 2 a.mp4 --threshold 2
  refuses 'one of paper, video' 2 a.mp4 --preset nonsense
  refuses 'add --out' 2 a.mp4 --compare
  for time in -1 nan 1e300 soon; do
    refuses "\"$time\" is not a time in seconds: give 0 or more" 2 rtsp://127.0.0.1:1/camera --retry-for "$time"
  done
  refuses 'is not an address to listen at' 2 a.mp4 --metrics '[fe80::1%nonsense]:0'
  refuses 'cannot learn from several inputs at once' 2 a.mp4 b.mp4 --live --prior street.prior
}

RunRefusals.NameAnInputThatCannotBeRead() {
  refuses '^gst-bcp: there is no file nothing\.mp4' 1 nothing.mp4
  echo text >text.mp4
  refuses '^gst-bcp: text\.mp4 is not a video' 1 text.mp4
  : >empty.mp4
  refuses '^gst-bcp: empty\.mp4 is empty' 1 empty.mp4
  gst-launch-1.0 -q audiotestsrc num-buffers=20 ! opusenc ! oggmux ! filesink location=sound.ogg
  refuses '^gst-bcp: sound\.ogg contains only sound' 1 sound.ogg
  mkdir folder
  refuses 'neither a video nor a picture in folder' 1 folder
}

RunRefusals.StillProcessTheOtherInputs() {
  make_video a.mp4 4
  try bcp_run nothing.mp4 a.mp4 --jsonl all.jsonl
  expect_status 1
  expect_one_sentence
  [ "$(wc -l <all.jsonl)" -eq 4 ] || flunk "$(wc -l <all.jsonl) results"
}

RunRefusals.ReportATruncatedVideo() {
  head -c 200000 "$clip" >cut.mp4
  try bcp_run --max-rate 2 cut.mp4
  expect_output '^gst-bcp: cut\.mp4 ended at 0:02 of 0:06: it may be cut short'
}

RunRefusals.OverwriteNothingUnlessForced() {
  make_video a.mp4 2
  for file in made.mp4 made.jsonl made.html; do echo mine >"$file"; done
  refuses '^gst-bcp: made\.mp4 already exists' 1 a.mp4 --out made.mp4
  refuses '^gst-bcp: made\.jsonl already exists' 1 a.mp4 --jsonl made.jsonl
  refuses '^gst-bcp: made\.html already exists' 1 a.mp4 --report made.html
  [ "$(cat made.mp4 made.jsonl made.html)" = $'mine\nmine\nmine' ] || flunk "something was touched"
  bcp_run -q a.mp4 --out made.mp4 --jsonl made.jsonl --force
  [ "$(wc -l <made.jsonl)" -eq 2 ] || flunk "not replaced"
}

RunRefusals.NeverWriteToAnInput() {
  make_video a.mp4 2
  ln -s a.mp4 link.mp4
  cp a.mp4 before.mp4
  refuses 'is an input and is not overwritten' 1 a.mp4 --out a.mp4 --force
  refuses 'is an input and is not overwritten' 1 a.mp4 --out link.mp4 --force
  refuses 'is an input and is not overwritten' 1 a.mp4 --jsonl a.mp4 --force
  cmp a.mp4 before.mp4
}

RunRefusals.NeverWriteOneFileFromTwoInputs() {
  make_video a.mp4 2
  refuses '^gst-bcp: --out and --jsonl are the same file' 2 a.mp4 --out made.mp4 --jsonl made.mp4
  refuses '^gst-bcp: --report and --jsonl are the same file' 2 a.mp4 --report made.html --jsonl ./made.html
  echo mine >street.prior
  refuses '^gst-bcp: --jsonl and --prior are the same file' 2 a.mp4 --jsonl street.prior --prior street.prior --force
  mkdir folder
  refuses 'folder/a\.mp4 would be written twice' 1 a.mp4 --out folder/ --jsonl folder/a.mp4
  [ "$(cat street.prior)" = mine ] || flunk "what was learnt is gone"
  if [ -e made.mp4 ] || [ -e made.html ]; then flunk "a mixture was left behind"; fi
}

RunRefusals.TakeANameThatIsNotUtf8OnlyForAnInput() {
  local odd=$'caf\xe9'
  make_video a.mp4 2
  mkdir folder
  cp a.mp4 "$odd.mp4"
  bcp_run -q "$odd.mp4" --out folder/ --jsonl all.jsonl
  [ -s $'folder/caf\uFFFD.mp4' ] || flunk "there is no video"
  /usr/bin/python3 -c 'import json; assert json.loads(open("all.jsonl", encoding="utf-8").readline())["source"] == "caf\ufffd.mp4"'
  refuses 'its name is not UTF-8' 1 a.mp4 --out "$odd.mkv"
  refuses 'it is not UTF-8' 2 a.mp4 --prior "$odd.prior"
}

RunRefusals.NameAFolderThatCannotBeWritten() {
  make_video a.mp4 2
  refuses 'there is no folder nowhere' 1 a.mp4 --out nowhere/made.mp4
  refuses 'a\.mp4/deep is not a folder' 1 a.mp4 --out a.mp4/deep/
  refuses 'a\.mp4 is not a folder' 1 a.mp4 --out a.mp4/made.mp4
  refuses 'folder /proc is not writable' 1 a.mp4 --out /proc/made.mp4
  mkdir out
  refuses 'would become' 1 a.mp4 a.mp4 --out out
  mkdir sealed
  chmod 555 sealed
  if [ "$(id -u)" -eq 0 ]; then
    # Root may write anywhere; the user nobody may not. plain-words: allow
    chmod 711 "$SCRATCH"
    # shellcheck disable=SC2317  # bcp_run calls it
    bcp() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent GST_REGISTRY="$registry" "$BUILD/tools/gst-bcp/gst-bcp" "$@"; }
    local registry=$SCRATCH/registry.bin
    if ! setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$BUILD/gst-plugin/libgstbcp.so" -a -r a.mp4; then
      return 0  # the user cannot even reach the tree
    fi
  fi
  refuses 'folder sealed is not writable \(Permission denied\)' 1 a.mp4 --out sealed/made.mp4
}

RunRefusals.NameTheEncoderThatIsMissing() {
  make_video a.mp4 2
  export GST_PLUGIN_FEATURE_RANK=x264enc:NONE,openh264enc:NONE,avenc_h264_omx:NONE
  refuses 'no encoder for H\.264 works here.*install gstreamer1\.0-plugins-ugly \(x264enc\)' 1 a.mp4 --out made.mp4
  bcp_run -q a.mp4 --encoder openh264enc --out made.mp4
  refuses 'there is no encoder vah264lpenc: install gstreamer1\.0-plugins-bad' 1 a.mp4 --encoder vah264lpenc --out other.mp4
  refuses 'vp8enc makes no format that is possible in \.mp4: choose one of .*x264enc' 1 a.mp4 --encoder vp8enc --out other.mp4
}

RunRefusals.NameTheDecoderThatIsMissing() {
  make_video a.mp4 2
  # A separate registry without the decoders.
  export GST_PLUGIN_FEATURE_RANK=avdec_h264:NONE,openh264dec:NONE,vah264dec:NONE,nvh264dec:NONE,v4l2slh264dec:NONE,vaapih264dec:NONE,vaapidecodebin:NONE
  refuses 'a\.mp4 cannot be read: GStreamer has no H\.264 .*decoder; install gstreamer1\.0-libav' 1 a.mp4
}

# An AVIF as qtdemux sees it: no tracks, only an item.
RunRefusals.NameAKindOfPictureThatNothingDecodes() {
  /usr/bin/python3 - <<'PYTHON'
import struct
def box(kind, body): return struct.pack(">I", 8 + len(body)) + kind + body
meta = bytes(4) + box(b"hdlr", bytes(8) + b"pict" + bytes(13)) + box(b"pitm", bytes(4) + b"\0\1")
for brand in b"avif", b"heic":
    name = brand.decode()
    with open(f"a.{name}", "wb") as file:
        file.write(box(b"ftyp", brand + bytes(4) + brand + b"mif1") + box(b"meta", meta) + box(b"mdat", b"\x12\0" * 200))
PYTHON
  refuses '^gst-bcp: a\.avif cannot be read: GStreamer has no decoder for AVIF pictures; convert it .*libavif-bin' 1 a.avif
  refuses '^gst-bcp: a\.heic cannot be read: GStreamer has no decoder for HEIC pictures; convert it .*libheif-examples' 1 a.heic
}

RunRefusals.PassOnWhatTheModelSays() {
  make_video a.mp4 2
  try bcp run --model nosuchmodel a.mp4
  expect_status 1
  expect_one_sentence
  expect_output 'no model bundle called "nosuchmodel"'
  try bcp run --model nosuchmodel a.mp4 a.mp4
  expect_status 1
  expect_one_sentence
  refuses 'the label "zebra" is not among' 1 a.mp4 --labels zebra
}

# More pictures than the pipeline takes before it plays.
RunRefusals.EndAtOnceForPicturesToo() {
  local i
  mkdir in
  for i in 1 2 3 4; do cp "$photograph" "in/$i.jpg"; done
  # shellcheck disable=SC2317  # refuses calls it
  bcp() { timeout -s KILL 30 "$BUILD/tools/gst-bcp/gst-bcp" "$@"; }
  refuses 'the label "zebra" is not among' 1 in --labels zebra
  try bcp run --model /nonexistent in
  expect_status 1
  expect_one_sentence
  expect_output 'there is no model at /nonexistent'
}

RunRefusals.NameAnAddressThatCannotBeReached() {
  refuses 'http://127\.0\.0\.1:9/a\.mp4 cannot be reached' 1 http://127.0.0.1:9/a.mp4
  refuses 'http://nowhere\.invalid/a\.mp4 cannot be reached' 1 http://nowhere.invalid/a.mp4
  refuses 'rtsp://127\.0\.0\.1:9/a cannot be reached' 1 rtsp://127.0.0.1:9/a
  refuses 'no FOO protocol source' 1 foo://bar
}

RunRefusals.SayThatALabelIsTooLong() {
  make_video a.mp4 2
  refuses 'the label has 100000 bytes' 1 a.mp4 --labels "$(head -c 100000 /dev/zero | tr '\0' a)"
}

RunRefusals.NeverShowAPassword() {
  local address
  for address in rtsp://me:hush@127.0.0.1:9/a 'rtsp://me:hu@sh@127.0.0.1:9/a' http://me:hush@127.0.0.1:9/a \
    'http://127.0.0.1:9/a?user=me&password=hush' "rtsp://me:hu'sh@127.0.0.1:9/a" 'rtsp://me:hu"sh@127.0.0.1:9/a' \
    'rtsp://me:hu/sh@127.0.0.1:9/a' 'http://me:hu sh@127.0.0.1:9/a' 'http://127.0.0.1:9/a#token=hush'; do
    refuses 'cannot be reached' 1 -v "$address"
    expect_no_output 'hu(.?)sh'
    expect_output '\*\*\*'
  done
  try bcp_run --print rtsp://me:hush@127.0.0.1:9/a
  expect_status 0
  expect_no_output 'hush'
}

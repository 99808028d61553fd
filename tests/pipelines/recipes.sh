# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The ready-made pipelines of pipelines/: each shows its line, runs, and leaves what it says.
set -euo pipefail
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

clip=$ROOT/tests/data/clips/mdn_friday.mp4
export GST_BCP_BUILD=$BUILD

recipe() { try in_fresh_environment "$ROOT/pipelines/$1" "${@:2}"; }

# The same for cases about the line that a recipe prints first. gst-launch-1.0 1.22 sometimes does not end after "pipeline
# doesn't want to preroll": about 1 of 100 runs when the main thread is busy.
recipe_line() { try in_fresh_environment timeout 20 "$ROOT/pipelines/$1" "${@:2}"; }

# The file $1 holds a stream that matches $2, by GStreamer's own account.
expect_stream() {
  try gst-discoverer-1.0 "$1"
  expect_output "$2"
}

Recipes.WriteALabelledMp4() {
  recipe file-to-mp4.sh "$clip" "$SCRATCH/out.mp4" 'person, dog'
  expect_status 0
  expect_output '^\$ gst-launch-1\.0 .*bcptagger .*bcpoverlay'
  expect_output 'Wrote .*out\.mp4'
  expect_stream "$SCRATCH/out.mp4" 'H\.264'
}

# Sides that are odd, and no 4:2:0: neither is for every encoder, nor what it makes of it for every player.
Recipes.WriteH264OfAPictureOfAnyShape() {
  gst-launch-1.0 -q videotestsrc num-buffers=12 ! video/x-raw,format=RGB,width=321,height=241,framerate=10/1 ! matroskamux \
    ! filesink "location=$SCRATCH/odd.mkv"
  local name
  for name in file-to-mp4.sh compare.sh subtitles.sh; do
    recipe "$name" "$SCRATCH/odd.mkv" "$SCRATCH/${name%.sh}.mkv"
    expect_status 0
    expect_stream "$SCRATCH/${name%.sh}.mkv" 'H\.264 \((High|Main|(Constrained )?Baseline) Profile\)'
  done
}

Recipes.WriteAComparison() {
  recipe compare.sh "$clip" "$SCRATCH/out.mp4"
  expect_status 0
  expect_output 'compare=true'
  expect_stream "$SCRATCH/out.mp4" 'H\.264'
}

Recipes.ShowACamera() {
  GST_BCP_SINK='fakesink num-buffers=20' recipe camera.sh test 'person, dog'
  expect_status 0
  expect_output '^\$ gst-launch-1\.0 .*bcptagger .*bcpoverlay'
  expect_no_output 'leaky'
}

Recipes.SayWhenThereIsNoCamera() {
  GST_BCP_SINK=fakesink recipe camera.sh "$SCRATCH/video9"
  expect_failure
  expect_one_sentence
  expect_output 'no camera at .*video9'
}

# Where it is installed, the line at least has to be one that GStreamer understands.
Recipes.SayHowToGetFallbacksrc() {
  GST_BCP_SINK='fakesink num-buffers=1' recipe fallback.sh "file://$clip"
  if gst-inspect-1.0 --exists --atleast-version=0.0 fallbacksrc; then
    expect_status 0
  else
    expect_failure
    expect_one_sentence
    expect_output 'no fallbacksrc: .*gst-plugins-rs.*gst-bcp run'
  fi
}

Recipes.PutFourStreamsIntoOnePicture() {
  recipe grid.sh "$clip" "$clip" "file://$clip" "$clip" "$SCRATCH/grid.mp4"
  expect_status 0
  expect_output 'model-instance-id=grid'
  expect_stream "$SCRATCH/grid.mp4" 'H\.264'
  try gst-discoverer-1.0 -v "$SCRATCH/grid.mp4"
  expect_output 'Width: 1280'
  expect_output 'Height: 720'
}

Recipes.PassJsonToAnotherProgram() {
  recipe json.sh "$clip" /usr/bin/python3 -c '
import json, sys
print(sum("person" in [label["label"] for label in json.loads(line)["labels"]] for line in sys.stdin), "with a person")'
  expect_status 0
  expect_output '^[0-9][0-9]+ with a person'
}

Recipes.ShowTheLabelsWithoutAProgram() {
  recipe json.sh "$clip"
  expect_status 0
  expect_output '^share of the time: .*person [0-9]+%'
}

Recipes.WriteASubtitleTrack() {
  recipe subtitles.sh "$clip" "$SCRATCH/out.mkv"
  expect_status 0
  expect_stream "$SCRATCH/out.mkv" 'H\.264'
  expect_stream "$SCRATCH/out.mkv" 'subtitles'
  gst-launch-1.0 -q filesrc "location=$SCRATCH/out.mkv" ! matroskademux name=demux demux.subtitle_0 ! queue \
    ! filesink "location=$SCRATCH/cues.txt" demux.video_0 ! queue ! fakesink
  grep -q person "$SCRATCH/cues.txt" || flunk "no cue names a person: $(cat "$SCRATCH/cues.txt")"
}

Recipes.WriteASubtitleTrackInTheFormatOfTheExtension() {
  local ending
  for ending in mp4 mov; do
    recipe subtitles.sh "$clip" "$SCRATCH/out.$ending"
    expect_status 0
    expect_stream "$SCRATCH/out.$ending" 'container #0: Quicktime'
    expect_stream "$SCRATCH/out.$ending" 'H\.264'
    expect_stream "$SCRATCH/out.$ending" 'subtitles #.*Timed Text'
    gst-launch-1.0 -q filesrc "location=$SCRATCH/out.$ending" ! qtdemux name=demux demux.subtitle_0 ! queue \
      ! filesink "location=$SCRATCH/cues.txt" demux.video_0 ! queue ! fakesink
    grep -q person "$SCRATCH/cues.txt" || flunk "no cue names a person: $(cat "$SCRATCH/cues.txt")"
  done
  recipe subtitles.sh "$clip" "$SCRATCH/out.webm"
  expect_failure
  expect_one_sentence
  expect_output 'use \.mkv, \.mp4'
  [ ! -e "$SCRATCH/out.webm" ] || flunk "out.webm was made"
}

# A person is in all of the clip, so the recording is as long as that; a condition that is never true leaves a file without video.
Recipes.RecordWhatAConditionIsTrueOf() {
  recipe gate.sh "$clip" "$SCRATCH/out.mkv" "person and not 'fire hydrant' > 0.9"
  expect_status 0
  expect_output '^\$ gst-launch-1\.0 .*bcpgate condition='
  expect_stream "$SCRATCH/out.mkv" 'H\.264'
  expect_stream "$SCRATCH/out.mkv" 'Duration: 0:00:[0-9]*[1-9]'
  recipe gate.sh "$clip" "$SCRATCH/wrong.mkv" 'person and'
  expect_failure
  expect_output 'expected a label after "and" at character 11'
  [ ! -e "$SCRATCH/wrong.mkv" ] || flunk "wrong.mkv was left behind"
}

Recipes.KeepAnExistingFile() {
  echo precious >"$SCRATCH/out.mp4"
  recipe file-to-mp4.sh "$clip" "$SCRATCH/out.mp4"
  expect_failure
  expect_one_sentence
  expect_output 'already exists'
  [ "$(cat "$SCRATCH/out.mp4")" = precious ]
}

Recipes.RemoveAnIncompleteVideo() {
  recipe file-to-mp4.sh "$ROOT/LICENSE" "$SCRATCH/out.mp4"
  expect_failure
  expect_one_sentence
  [ ! -e "$SCRATCH/out.mp4" ] || flunk "out.mp4 was left behind"
}

Recipes.ShowNoPasswordInTheirLine() {
  recipe_line json.sh 'rtsp://me:hush@127.0.0.1:9/a' cat
  expect_output '^\$ gst-launch-1\.0 .*uri=rtsp://me:\*\*\*@127\.0\.0\.1:9/a '
  expect_no_output '^\$.*hush'
}

Recipes.ShowNoPasswordThatIsHardToDetect() {
  local address
  for address in rtsp://me:12/hush@127.0.0.1:9/a 'rtsp://me:hu@sh@127.0.0.1:9/a' 'http://127.0.0.1:9/a?user=me&password=hush' \
    http://me:hu/hush@127.0.0.1:9/a; do
    recipe_line json.sh "$address" cat
    expect_output '^\$ gst-launch-1\.0 .*\*\*\*'
    expect_no_output 'hush|sh@'
  done
}

Recipes.SayWhatIsMissing() {
  recipe file-to-mp4.sh "$SCRATCH/none.mp4" "$SCRATCH/out.mp4"
  expect_failure
  expect_output 'There is no file .*none\.mp4'
  recipe file-to-mp4.sh "$clip" "$SCRATCH/nowhere/out.mp4"
  expect_failure
  expect_output 'There is no directory .*nowhere'
}

Recipes.PrintTheirHelp() {
  local script
  for script in camera compare fallback file-to-mp4 gate grid json rtsp subtitles; do
    recipe "$script.sh" --help
    expect_status 0
    expect_output "pipelines/$script\.sh "
  done
  recipe file-to-mp4.sh
  expect_status 2
}

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run: inputs, outputs, messages. Errors are in run_refusals.sh, cameras in run_live.sh.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"

Run.GivesTheResultsOfTheSamePipelineInGstLaunch() {
  gst-launch-1.0 -q filesrc location="$clip" ! decodebin ! bcptagger model="$toy" decision=softmax source-id="$clip" \
    ! bcppublish location=launch.jsonl ! fakesink
  bcp_run -q "$clip" --jsonl run.jsonl
  [ "$(wc -l <run.jsonl)" -eq 185 ] || flunk "$(wc -l <run.jsonl) results"
  diff <(without_clock launch.jsonl) <(without_clock run.jsonl) || flunk "the results differ"
}

Run.PassesSkipStaticOn() {
  try bcp_run --print "$clip" --skip-static on
  expect_status 0
  expect_output 'bcptagger .*skip-static=on'
}

Run.PrintsALineThatGstLaunchRuns() {
  local line
  line=$(bcp_run --print "$clip" --out made.mp4 --jsonl made.jsonl)
  [ ! -e made.mp4 ] || flunk "--print ran something"
  expect_no_parts
  [[ $line == 'gst-launch-1.0 -e '* ]] || flunk "not a line for gst-launch: $line"
  bash -c "$line -q" >/dev/null
  bcp_run -q "$clip" --jsonl run.jsonl
  diff <(without_clock made.jsonl) <(without_clock run.jsonl) || flunk "the results differ"
  discover made.mp4
  expect_output 'video #'
  expect_output 'audio #'
}

Run.WritesAPlayableVideoWithItsSoundAndItsLength() {
  local kind
  for kind in mp4 mkv webm; do
    bcp_run -q "$clip" --max-rate 2 --out "made.$kind"
    discover "made.$kind"
    expect_output 'Duration: 0:00:06\.1'
    expect_output 'video #.*(H\.264|VP9)'
    expect_output 'audio #.*(AAC|Opus)'
    expect_output 'Width: 640'
  done
  expect_no_parts
}

Run.PutsTheIndexOfAnMp4AtItsFront() {
  make_video small.mp4 10
  bcp_run -q small.mp4 --out made.mp4
  [ "$(grep -abo moov made.mp4 | head -1 | cut -d: -f1)" -lt 100 ] || flunk "moov is not in front"
}

Run.TakesVideosOfOddSizes() {
  gst-launch-1.0 -q videotestsrc num-buffers=5 ! video/x-raw,format=I420,width=65,height=49 ! avenc_ffv1 ! matroskamux ! filesink location=odd.mkv
  bcp_run -q odd.mkv --out made.mp4
  discover made.mp4
  expect_output 'Width: 64'
  expect_output 'Height: 48'
}

Run.TurnsAVideoUpright() {
  make_video lying.mp4 5
  # As phones do it: the matrix in the track's header says "a quarter to the right".
  /usr/bin/python3 - <<'PYTHON'
import struct
video = open("lying.mp4", "rb").read()
upright = struct.pack(">9i", 65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30)
turned = struct.pack(">9i", 0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30)
at = video.index(upright, video.index(b"tkhd"))
open("lying.mp4", "wb").write(video[:at] + turned + video[at + len(turned):])
PYTHON
  bcp_run -q lying.mp4 --out made.mp4
  discover made.mp4
  expect_output 'Width: 48'
  expect_output 'Height: 64'
}

Run.KeepsTheSizeItBeganWith() {
  local size
  for size in 64x48 128x96; do
    gst-launch-1.0 -q videotestsrc num-buffers=10 ! "video/x-raw,width=${size%x*},height=${size#*x},framerate=10/1" \
      ! x264enc speed-preset=ultrafast key-int-max=5 ! h264parse ! mpegtsmux ! filesink location="$size.ts"
  done
  cat 64x48.ts 128x96.ts >both.ts
  bcp_run -q both.ts --out made.mp4 --jsonl made.jsonl
  [ "$(wc -l <made.jsonl)" -eq 20 ] || flunk "$(wc -l <made.jsonl) results"
  discover made.mp4
  expect_output 'Duration: 0:00:02\.0'
  expect_output 'Width: 64'
}

# GStreamer gives all its frames one time, and never ends it.
Run.PlaysAnAnimatedGifOnce() {
  /usr/bin/python3 "$ROOT/tests/tools/gif.py" a.gif 12 20
  timeout -s KILL 30 "$BUILD/tools/gst-bcp/gst-bcp" run -q --model "$toy" --decision softmax a.gif --out made.mp4 --jsonl made.jsonl
  [ "$(grep -o '"pts":[0-9.]*' made.jsonl | sed -n '1p;2p;12p')" = $'"pts":0.000000000\n"pts":0.200000000\n"pts":2.200000000' ] ||
    flunk "$(cat made.jsonl)"
  discover made.mp4
  expect_output 'Duration: 0:00:02\.4'
}

Run.NamesFilesOfAFolderAfterTheirInputs() {
  mkdir in out
  make_video in/b10.mp4 5
  make_video in/b2.mp4 5
  make_video in/.hidden.mp4 5
  echo text >in/notes.txt
  bcp_run -q in --out out --jsonl all.jsonl
  [ "$(ls out)" = $'b10.mp4\nb2.mp4' ] || flunk "made: $(ls out)"
  [ "$(grep -o '"source":"[^"]*"' all.jsonl | uniq)" = $'"source":"in/b2.mp4"\n"source":"in/b10.mp4"' ] ||
    flunk "order: $(grep -o '"source":"[^"]*"' all.jsonl | uniq)"
}

Run.IncludesSubfoldersOnlyWithRecursive() {
  mkdir -p in/deep
  make_video in/deep/a.mp4 3
  try bcp_run in
  expect_status 1
  expect_output 'add --recursive'
  bcp_run -q -r in --jsonl a.jsonl
  [ "$(wc -l <a.jsonl)" -eq 3 ] || flunk "$(wc -l <a.jsonl) results"
}

Run.MakesOneStreamOfPicturesOfAllSizes() {
  mkdir in out
  cp "$photograph" in/a1.jpg
  gst-launch-1.0 -q videotestsrc num-buffers=1 ! video/x-raw,width=41,height=33 ! pngenc ! filesink location=in/a2.png
  echo 'not a picture' >in/a3.jpg
  gst-launch-1.0 -q videotestsrc num-buffers=1 pattern=red ! video/x-raw,width=64,height=64 ! jpegenc ! filesink location=in/a10.jpeg
  try bcp_run in --out out/ --jsonl all.jsonl
  expect_status 1
  expect_output '^gst-bcp: in/a3\.jpg is not a readable picture'
  expect_output '^in/a2\.png: '
  [ "$(grep -o '"source":"[^"]*"' all.jsonl)" = $'"source":"in/a1.jpg"\n"source":"in/a2.png"\n"source":"in/a10.jpeg"' ] ||
    flunk "$(grep -o '"source":"[^"]*"' all.jsonl)"
  [ "$(ls out)" = $'a1.jpg\na10.jpeg\na2.png' ] || flunk "made: $(ls out)"
  /usr/bin/python3 -c 'assert open("out/a2.png", "rb").read(24)[12:] == b"IHDR\0\0\0\x29\0\0\0\x21"' || flunk "another kind or size"
}

Run.TakesAnyNameAndAnyLabel() {
  # shellcheck disable=SC2016,SC1003  # these very characters
  local name='a "b" \c! $d '\''e'\'' =f,(g) äöü日.mp4'
  make_video plain.mp4 3
  mv plain.mp4 "$name"
  mkdir out
  # shellcheck disable=SC1003
  bcp run -q --model "$words" -l 'cat, a "dog" \, said! he\\' "$name" --out out/ --jsonl "out/$name.jsonl" --all-labels
  [ -s "out/$name" ] || flunk "made: $(ls out)"
  grep -qF '"label":"a \"dog\" , said! he\\"' "out/$name.jsonl" || flunk "$(head -1 "out/$name.jsonl")"
}

Run.SumsUpWhatItSaw() {
  make_video small.mp4 10
  try bcp_run small.mp4
  expect_status 0
  expect_output '^label +seen in +at most +first +last$'
  expect_output '^[a-z]+ +[0-9]+ % +[01]\.[0-9]{2} +0:00\.[0-9]'
  try bcp_run -q small.mp4
  [ -z "$output" ] || flunk "quiet said: $output"
}

Run.SaysWhenNoLabelWasShown() {
  make_video small.mp4 10
  try bcp_run small.mp4 --threshold 1
  expect_status 0
  expect_output '^no label was shown in 10 results$'
  expect_no_output 'seen in'
}

Run.WritesNoEscapesWithoutATerminal() {
  make_video small.mp4 10
  bcp_run small.mp4 --out made.mp4 >out.txt 2>err.txt
  ! grep -q $'\033\|\r' out.txt err.txt || flunk "escape codes: $(cat -v out.txt err.txt)"
  grep -q '^small\.mp4: 10 frames' err.txt || flunk "$(cat err.txt)"
}

Run.ShowsABarOnATerminal() {
  make_video small.mp4 30
  try env TERM=xterm LC_ALL=C.UTF-8 script -qec "stty cols 100; '$BUILD/tools/gst-bcp/gst-bcp' run --model '$toy' --decision softmax small.mp4 --live --out made.mp4" /dev/null
  expect_status 0
  expect_output '[0-9]+ % [━╸─]{10}.* fps '
}

Run.WritesJsonToStandardOutputAndNothingElse() {
  make_video small.mp4 5
  bcp_run small.mp4 --jsonl - 2>/dev/null | /usr/bin/python3 -c 'import json, sys; assert len([json.loads(line) for line in sys.stdin]) == 5'
}

Run.StopsWhenItsOutputIsClosed() {
  make_video long.mp4 2000
  # head reads one line and exits; the rest of the video would take much longer than the time limit.
  # shellcheck disable=SC2016  # for another shell
  try timeout 60 bash -c 'set -o pipefail; "$0" run --live --model "$1" --decision softmax long.mp4 --jsonl - 2>err.txt | head -1' "$BUILD/tools/gst-bcp/gst-bcp" "$toy"
  expect_status 1
  grep -q 'its reader has gone' err.txt || flunk "$(cat err.txt)"
}

Run.FinishesItsFilesWhenInterrupted() {
  local signal run status
  for signal in INT TERM; do
    rm -f made.*
    start_run -q "$clip" --live --out made.mp4 --jsonl made.jsonl --report made.html
    wait_until "$run" has_lines made.jsonl 10  # some frames in, and far from the end
    kill -"$signal" "$run"
    status=0
    wait "$run" || status=$?
    [ "$status" -eq 130 ] || flunk "exit code $status"
    expect_only 'made.html made.jsonl made.mp4'
    discover made.mp4
    expect_output 'video #'
    expect_output 'Duration: 0:00:0[0-5]'
    /usr/bin/python3 -c 'import json; [json.loads(line) for line in open("made.jsonl")]'
  done
}

# timeout(1) sends its signal to the program, and to its group.
Run.CountsSimultaneousSignalsAsOne() {
  local run status=0
  start_run -q "$clip" --live --out made.mp4 --jsonl made.jsonl
  wait_until "$run" has_lines made.jsonl 10
  kill -INT "$run"
  kill -TERM "$run"
  kill -HUP "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status"
  expect_only 'made.jsonl made.mp4'
  discover made.mp4
}

Run.RemovesItsFilesOnASecondSignal() {
  local run status=0
  start_run -q "$clip" --live --out made.mp4 --jsonl made.jsonl
  wait_until "$run" has_lines made.jsonl 3
  for _ in 1 2 3; do
    kill -INT "$run" 2>/dev/null || break
    sleep 0.35
  done
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status"
  [ -z "$(find . -name '*.part*')" ] || flunk "left: $(ls -a)"
}

Run.ReportsWhatItSaw() {
  make_video small.mp4 20
  bcp_run -q small.mp4 --report page.html --threshold 0.3
  expect_only 'page.html small.mp4'
  grep -q 'model identity' page.html || flunk "the settings are not in it"
  grep -qF -- '--threshold' page.html || flunk "the command is not in it"
}

Run.ContinuesFromWhatItLearnt() {
  make_video small.mp4 20
  bcp_run -q small.mp4 --prior street.prior
  [ -s street.prior ] || flunk "nothing was kept"
  bcp_run -q small.mp4 --prior street.prior --prior-mode read-only --jsonl second.jsonl
  ! head -1 second.jsonl | grep -q '"samples":0,' || flunk "it began afresh"
}

Run.SharesOneModelAmongInputs() {
  make_video a.mp4 2
  make_video b.mp4 2
  try bcp_run -v a.mp4 b.mp4
  expect_status 0
  [ "$(grep -o 'model-instance-id=[^ ]*' <<<"$output" | sort -u | wc -l)" -eq 1 ] || flunk "$output"
}

Run.SaysOnceWhatItAssumesOfAModel() {
  local layouts=$ROOT/tests/data/layouts sentence="the model's files do not give its logit scale: 100 is assumed"
  mkdir -p hub/onnx
  cp "$layouts/vision_model.onnx" "$layouts/text_model.onnx" hub/onnx
  make_video a.mp4 2
  make_video b.mp4 2
  bcp run --model hub -l 'cat, dog' a.mp4 b.mp4 >/dev/null 2>err.txt
  [ "$(grep -c "^gst-bcp: note: $sentence" err.txt)" -eq 1 ] || flunk "$(cat err.txt)"
  try bcp run -q --model hub -l 'cat, dog' a.mp4
  [ -z "$output" ] || flunk "quiet said: $output"
  try gst-launch-1.0 videotestsrc num-buffers=1 ! bcptagger model=hub labels='cat, dog' ! fakesink
  expect_output "$sentence"
}

Run.ReadsAVideoFromStandardInput() {
  make_video a.mp4 5  # its index is at its end
  bcp_run -q - --out made.mp4 --jsonl made.jsonl < <(cat a.mp4)
  [ "$(grep -c '"source":"stdin"' made.jsonl)" -eq 5 ] || flunk "$(cat made.jsonl)"
  discover made.mp4
  expect_output 'Duration: 0:00:00\.5'
  bcp_run -q - --out out/ <a.mp4
  [ -s out/stdin.mp4 ] || flunk "made: $(ls out)"
  try bcp_run - </dev/null
  expect_status 1
  expect_one_sentence
  expect_output 'standard input is empty'
  try bcp_run - - <a.mp4
  expect_status 1
  expect_output 'give it once'
}

# By the times at which frames come; the last one has no duration of its own.
Run.KeepsTheLastFrameOfAVideoWhoseRateVaries() {
  local kind
  /usr/bin/python3 "$ROOT/tests/tools/variable_rate.py" varies.mkv 20
  for kind in mp4 mov mkv; do
    bcp_run -q varies.mkv --out "made.$kind"
    bcp_run -q "made.$kind" --jsonl "$kind.jsonl"
    [ "$(wc -l <"$kind.jsonl")" -eq 20 ] || flunk "$(wc -l <"$kind.jsonl") frames in made.$kind"
  done
}

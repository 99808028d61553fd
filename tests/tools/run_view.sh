# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run --view: the live page, what it shows and changes, and who may use it.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"

ask() { /usr/bin/python3 "$ROOT/tests/tools/run_view.py" "$@" >ask.out 2>&1 || flunk "$(cat ask.out) $(cat run.err)"; }
# Opens the page in a browser, for the checks $1 of view_page.py, with commas between them.
browse() { SCRATCH=$SCRATCH /usr/bin/python3 "$ROOT/tests/tools/view_page.py" "$@" || flunk "$1: $(cat run.err)"; }

# Runs the rest with the page at $1 in the background, until it is served: $url has it.
view() {
  local where=$1
  shift
  start_run --view "$where" "$@" >run.out 2>run.err
  processes+=("$run")
  wait_until "$run" grep -q '^live page: http' run.err
  url=$(sed -n 's/^live page: //p' run.err)
}

# The same with a camera that shows a ball.
view_camera() {
  camera
  view 0 "door=$address" "$@"
}

RunView.AcceptsOnlyRequestsOfItsOwnPage() {
  view_camera --view-host cameras.test
  ask source_is "$url" live
  ask headers,hosts,paths,changes "$url"
}

RunView.LimitsSizesAndClients() {
  view_camera
  ask source_is "$url" live
  ask sizes,clients "$url"
}

RunView.ServesOtherMachinesWithAPasswordOnly() {
  local status=0
  bcp_run --view 0.0.0.0:0 "$clip" >run.out 2>run.err || status=$?
  [ "$status" -eq 2 ] || flunk "exit code $status"
  grep -q 'add --view-password-file FILE' run.err || flunk "$(cat run.err)"
  echo short >short
  status=0
  bcp_run --view 0.0.0.0:0 --view-password-file short "$clip" >run.out 2>run.err || status=$?
  [ "$status" -eq 2 ] || flunk "exit code $status"
  echo 'correct horse battery' >password
  camera
  view 127.0.0.1:0 --view-password-file password "door=$address"
  until curl -s "$url" -o /dev/null; do sleep 0.1; done
  ask login "$url" 'correct horse battery'
  ! grep -rqs 'correct horse' run.out run.err || flunk "the password is in the output"
}

# Noise, so that a few pictures fill the buffers of a connection.
RunView.EncodesPicturesOnlyForViewers() {
  serve "$server" --path /camera --port 0 -- videotestsrc is-live=true pattern=snow ! video/x-raw,width=320,height=240,framerate=10/1 \
    ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! rtph264pay name=pay0
  view 0 "door=$address"
  ask source_is "$url" live
  ask idle,stalled "$url"
}

RunView.ShowsWhatIsSeenAndTakesLabelsAndFeedback() {
  view_camera
  ask source_is "$url" live
  ask events,teaches,words "$url"
}

RunView.ShowsACameraThatIsLostAndBackWithoutItsAddress() {
  local port
  camera
  port=$(port_of_address)
  view 0 "door=${address/rtsp:\/\//rtsp://user:geheim@}"
  ask source_is "$url" live
  kill_camera
  ask source_is "$url" lost
  camera_with --port "$port"
  ask source_is "$url" live
}

RunView.FailsWhereItCannotListen() {
  local port
  view_camera
  port=${url##*:}
  bcp_run --view "${port%/}" "$clip" >second.out 2>second.err && flunk "it went on"
  grep -q 'another program uses this port' second.err || flunk "$(cat second.err)"
}

# A camera that shows a photograph of a person, and a model that recognises one.
view_person() {
  serve "$server" --path /camera --port 0 -- filesrc location="$photograph" ! jpegdec ! imagefreeze is-live=true ! videoconvert ! videoscale \
    ! video/x-raw,width=320,height=240,framerate=5/1 ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=5 ! rtph264pay name=pay0
  "$BUILD/tools/gst-bcp/gst-bcp" run --model "$ROOT/models/mini" --view 0 "door=$address" >run.out 2>run.err &
  run=$!
  processes+=("$run")
  wait_until "$run" grep -q '^live page: http' run.err
  url=$(sed -n 's/^live page: //p' run.err)
}

RunView.IsAPageThatShowsAndLearns() {
  view_person
  browse shows_the_picture,learns,takes_labels,changes_settings "$url"
}

RunView.FitsPhonesAndKeyboards() {
  view_camera
  browse fits_a_phone "$url"
}

RunView.FollowsAxe() {
  local first
  camera
  first=$address
  camera
  view 0 "door=$first" "yard=$address"
  browse follows_axe "$url"
}

RunView.ChoosesAmongCamerasAndShowsALoss() {
  local first
  camera
  first=$address
  camera
  view 0 "door=$first" "yard=$address"
  browse chooses_among_cameras,is_told_of_a_wrong_label "$url"
  kill -9 "${processes[0]}"
  browse shows_the_loss "$url"
}

RunView.AsksForThePasswordInABrowser() {
  echo 'correct horse battery' >password
  camera
  view 0 --view-password-file password "door=$address"
  browse follows_axe_before_the_password,logs_in "$url" 'correct horse battery'
}

# The figures are printed, not asserted; that every row did its work is.
RunView.DelaysNoFrameForBrowsers() {
  timeout 200 /usr/bin/python3 "$ROOT/tests/bench/eight_cameras.py" "$BUILD" --with view --quick >load.txt 2>&1 || flunk "$(cat load.txt)"
  grep -Eq '^with view +[1-9]' load.txt || flunk "$(cat load.txt)"
  [ "$(grep -Ec '^[1-9][0-9]* pictures were encoded; the fast browser read' load.txt)" -eq 2 ] || flunk "$(cat load.txt)"
}

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gst-bcp run --mqtt, with a real broker: what is sent, what Home Assistant gets, and what happens when one of them goes away.
set -euo pipefail
# shellcheck source=tests/tools/run.bash
. "${ROOT:?}/tests/tools/run.bash"
# shellcheck source=tests/common/rtsp.bash
. "$ROOT/tests/common/rtsp.bash"
# shellcheck source=tests/common/tls.bash
. "$ROOT/tests/common/tls.bash"

# mosquitto on $port, with the lines $1 in its configuration; its process is $broker.
start_broker() {
  printf 'listener %s 127.0.0.1\nuser root\n%b\n' "$port" "${1:-allow_anonymous true}" >mosquitto.conf
  /usr/sbin/mosquitto -c mosquitto.conf >mosquitto.log 2>&1 &
  broker=$!
  processes+=("$broker")
  wait_until "$broker" grep -q 'running' mosquitto.log
}

# Everything that passes, one message a line: "retained topic payload". $client has options of mosquitto_sub.
client=()
listen() {
  mosquitto_sub -p "$port" "${client[@]}" -t '#' -q 1 -F '%r %t %p' >>heard 2>sub.err &
  processes+=($!)
  until grep -q ' heard yes' heard; do
    mosquitto_pub -p "$port" "${client[@]}" -t heard -m yes
    sleep 0.1
  done
}

heard() { grep -qaE -- "$1" heard; }

# The retained message of a topic.
retained() { timeout 5 mosquitto_sub -p "$port" "${client[@]}" -t "$1" -C 1 -W 3 2>/dev/null || true; }
is_retained() { [ "$(retained "$1")" = "$2" ]; }
is_gone() { [ -z "$(timeout 5 mosquitto_sub -p "$port" -t "$1" -C 1 -W 1 2>/dev/null)" ]; }

begin() {
  start_run "$@" >run.out 2>run.err
  processes+=("$run")
}

interrupt() {
  local status=0
  kill -INT "$run"
  wait "$run" || status=$?
  [ "$status" -eq 130 ] || flunk "exit code $status: $(cat run.err)"
}

RunMqtt.SendsStatesEventsAndAPictureOfEachCamera() {
  local run port broker
  port=$(free_port)
  start_broker
  listen
  camera
  begin -q "door=$address" --threshold 0 --mqtt "mqtt://127.0.0.1:$port" --mqtt-images
  wait_until "$run" heard '^0 gst-bcp/status online'
  wait_until "$run" heard '^0 gst-bcp/door/status online'
  wait_until "$run" heard '^0 gst-bcp/door/event .*"event":"label-on".*"source":"door".*"probability":.*"event_type":"appeared","start_utc":"20[0-9-]*T[0-9:.]*Z","end_utc":null'
  wait_until "$run" heard '^0 gst-bcp/door/labels [a-z]'
  wait_until "$run" heard '^0 gst-bcp/door/image '
  mosquitto_sub -p "$port" -t gst-bcp/door/image -C 1 -N >made.jpg
  [ "$(ffprobe -v error -show_entries stream=codec_name,width,height -of csv=p=0 made.jpg)" = mjpeg,160,120 ] ||
    flunk "not a JPEG of 160x120: $(ffprobe made.jpg 2>&1 | tail -n 3)"
  interrupt
  is_retained gst-bcp/status offline || flunk "$(retained gst-bcp/status)"
  is_retained gst-bcp/door/status offline || flunk "$(retained gst-bcp/door/status)"
  wait_until "$broker" heard '"event_type":"disappeared".*"end_utc":"20'
  ! heard "127\.0\.0\.1" || flunk "an address was sent: $(grep -a '127\.0' heard | head -2)"
  ! heard 'homeassistant/' || flunk "announced without --mqtt-discovery"
}

# Tried with Home Assistant itself by tests/tools/home_assistant.py.
RunMqtt.AnnouncesEachCameraToHomeAssistant() {
  local run port broker node=homeassistant/binary_sensor/gst-bcp_door
  port=$(free_port)
  start_broker
  # Of earlier runs, with other labels.
  mosquitto_pub -p "$port" -r -t "$node/zebra/config" -m '{"name":"zebra"}'
  mosquitto_pub -p "$port" -r -t gst-bcp/door/label/zebra/state -m ON
  listen
  camera
  begin -q "door=$address" --threshold 0 --mqtt "mqtt://127.0.0.1:$port" --mqtt-discovery --mqtt-images --mqtt-control
  wait_until "$run" heard "^0 $node/camera__connection/config .*\"device_class\":\"connectivity\""
  wait_until "$run" heard '^0 homeassistant/event/gst-bcp_door/camera__events/config .*"event_types":\["appeared","disappeared"\]'
  wait_until "$run" heard '^0 homeassistant/image/gst-bcp_door/camera__image/config '
  wait_until "$run" heard '^0 homeassistant/text/gst-bcp_door/camera__labels/config '
  wait_until "$run" heard "^0 $node/[a-z]*/config .*\"availability\":\[{\"topic\":\"gst-bcp/status\".*\"gst-bcp/door/status\""
  wait_until "$run" heard '^0 gst-bcp/door/label/[a-z]*/state ON'
  wait_until "$run" is_retained gst-bcp/door/label/zebra/state OFF
  wait_until "$run" is_gone "$node/zebra/config"
  # Home Assistant has restarted: everything is announced again.
  : >heard
  mosquitto_pub -p "$port" -t homeassistant/status -m online
  wait_until "$run" heard "^0 $node/camera__connection/config "
  interrupt
}

RunMqtt.TakesNewLabelsFromTheBroker() {
  local run port broker first second
  port=$(free_port)
  start_broker
  listen
  camera
  begin "door=$address" --threshold 0 --mqtt "mqtt://127.0.0.1:$port" --mqtt-discovery --mqtt-control
  wait_until "$run" heard '^0 gst-bcp/door/labels .*,.*,'
  first=$(retained gst-bcp/door/labels)
  second=${first#*, }
  mosquitto_pub -p "$port" -t gst-bcp/door/labels/set -m "$second"
  wait_until "$run" is_retained gst-bcp/door/labels "$second"
  wait_until "$run" is_gone "homeassistant/binary_sensor/gst-bcp_door/${first%%,*}/config"
  # The toy has no text tower: a word that it does not know is refused, and the labels stay.
  mosquitto_pub -p "$port" -t gst-bcp/door/labels/set -m "delivery van"
  wait_until "$run" heard '^0 gst-bcp/door/labels/attributes .*"error":"..*'
  is_retained gst-bcp/door/labels "$second" || flunk "$(retained gst-bcp/door/labels)"
  mosquitto_pub -p "$port" -t gst-bcp/door/labels/set -m "a, a"
  wait_until "$run" grep -q 'new labels from the broker were not accepted' run.err
  wait_until "$run" heard '^0 gst-bcp/door/labels/attributes .*were not accepted'
  if grep -F "$address" heard; then flunk "the address of the camera is sent to the broker"; fi
  mosquitto_pub -p "$port" -t gst-bcp/door/labels/set -m "$first"
  wait_until "$run" is_retained gst-bcp/door/labels "$first"
  wait_until "$run" has_no_error  # sent after the labels
  interrupt
}

has_no_error() { retained gst-bcp/door/labels/attributes | grep -q '"error":null'; }

RunMqtt.MarksALostCameraAndACrashedRun() {
  local run port broker where
  port=$(free_port)
  start_broker
  listen
  camera
  where=$address
  begin -q "door=$where" --mqtt "mqtt://127.0.0.1:$port" --mqtt-discovery
  wait_until "$run" is_retained gst-bcp/door/status online
  kill_camera
  wait_until "$run" is_retained gst-bcp/door/status offline
  is_retained gst-bcp/status online || flunk "$(retained gst-bcp/status)"
  camera_with --port "$(address=$where port_of_address)"
  wait_until "$run" is_retained gst-bcp/door/status online
  kill -9 "$run"
  wait_until "$broker" is_retained gst-bcp/status offline
}

RunMqtt.StartsWithoutABrokerAndCatchesUp() {
  local run port broker
  port=$(free_port)
  camera
  begin "door=$address" --threshold 0 --jsonl made.jsonl --mqtt "mqtt://127.0.0.1:$port" --mqtt-discovery
  wait_until "$run" has_lines made.jsonl 10
  wait_until "$run" grep -q 'No connection to the MQTT broker' run.err
  [ "$(grep -c 'No connection to the MQTT broker' run.err)" -eq 1 ] || flunk "$(cat run.err)"
  grep -q "127.0.0.1:$port: Connection refused; start the broker, or correct --mqtt\." run.err || flunk "$(cat run.err)"
  start_broker
  wait_until "$run" is_retained gst-bcp/door/status online
  # The broker forgets everything when it restarts.
  kill -9 "$broker"
  wait "$broker" 2>/dev/null || true
  start_broker
  wait_until "$run" is_retained gst-bcp/door/status online
  wait_until "$run" grep -q 'the MQTT broker at .* is back' run.err
  interrupt
}

RunMqtt.ExplainsARefusedPasswordAndShowsNone() {
  local run port broker
  port=$(free_port)
  touch users
  chmod 600 users
  mosquitto_passwd -b users cam geheim 2>/dev/null
  start_broker "password_file $PWD/users\nallow_anonymous false"
  printf 'wrong\n' >password
  camera
  begin --verbose "door=$address" --mqtt "mqtt://cam@127.0.0.1:$port" --mqtt-password-file password
  wait_until "$run" grep -q 'does not accept the user name or the password; check the user in --mqtt .* and --mqtt-password-file' run.err
  interrupt
  GST_BCP_MQTT_PASSWORD=geheim begin --verbose "door=$address" --mqtt "mqtt://cam@127.0.0.1:$port"
  client=(-u cam -P geheim)
  wait_until "$run" is_retained gst-bcp/door/status online
  interrupt
  ! grep -q geheim run.err run.out || flunk "the password was shown: $(cat run.err)"
}

RunMqtt.ChecksTheCertificateOfTheBroker() {
  local run port broker
  make_authority authority
  make_authority other
  make_signed server authority
  port=$(free_port)
  start_broker "allow_anonymous true\ncertfile $PWD/server.pem\nkeyfile $PWD/server.key"
  camera
  begin "door=$address" --mqtt "mqtts://127.0.0.1:$port" --mqtt-ca other.pem
  wait_until "$run" grep -q "is not signed by the authority in --mqtt-ca 'other.pem'" run.err
  interrupt
  begin "door=$address" --mqtt "mqtts://127.0.0.1:$port" --mqtt-ca authority.pem
  client=(--cafile authority.pem)
  wait_until "$run" is_retained gst-bcp/door/status online
  interrupt
}

# A broker that accepts connections and never answers: frames go on.
RunMqtt.NeverWaitsForABrokerThatHangs() {
  local run port broker
  port=$(free_port)
  start_broker
  camera
  begin -q "door=$address" --threshold 0 --jsonl made.jsonl --mqtt "mqtt://127.0.0.1:$port" --mqtt-images
  wait_until "$run" is_retained gst-bcp/door/status online
  kill -STOP "$broker"
  : >made.jsonl
  wait_until "$run" has_lines made.jsonl 20
  interrupt
  kill -CONT "$broker"
}

RunMqtt.RefusesOptionsThatDoNotFit() {
  local video=$clip
  expect_usage() {
    local words=$1
    shift
    try bcp_run "$video" "$@"
    expect_status 2
    expect_output "$words"
  }
  expect_usage '--mqtt-images needs a broker: add --mqtt ADDRESS' --mqtt-images
  expect_usage "--mqtt 'http://broker' begins with neither mqtt:// nor mqtts://" --mqtt http://broker
  expect_usage 'mqtt://cam@broker has a password.*--mqtt-password-file' --mqtt mqtt://cam:geheim@broker
  case $output in *geheim*) flunk "$output" ;; esac
  expect_usage "--mqtt-password-file 'missing' cannot be read" --mqtt mqtt://cam@broker --mqtt-password-file missing
  expect_usage '--mqtt-ca needs TLS: write the address as mqtts://broker' --mqtt mqtt://broker --mqtt-ca "$clip"
  expect_usage "--mqtt-topic 'a/#' contains" --mqtt mqtt://broker --mqtt-topic 'a/#'
  expect_usage "--mqtt-discovery 'a/' ends with /" --mqtt mqtt://broker --mqtt-discovery=a/
}

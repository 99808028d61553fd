# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A camera, a broker and Redis for the commands of the documentation, which end with the case.
# shellcheck source=tests/common/rtsp.bash
. "${ROOT:?}/tests/common/rtsp.bash"

# Starts mosquitto on a free port, which is then in $broker_port.
broker() {
  broker_port=$(free_port)
  printf 'listener %s 127.0.0.1\nallow_anonymous true\nuser root\n' "$broker_port" >"$SCRATCH/mosquitto.conf"
  /usr/sbin/mosquitto -c "$SCRATCH/mosquitto.conf" >"$SCRATCH/mosquitto.log" 2>&1 &
  processes+=($!)
  until mosquitto_pub -p "$broker_port" -t started -n 2>/dev/null; do
    kill -0 "${processes[-1]}" 2>/dev/null || flunk "mosquitto does not start: $(cat "$SCRATCH/mosquitto.log")"
    sleep 0.1
  done
}

# Starts Redis on a free port, which is then in $redis_port.
redis() {
  redis_port=$(free_port)
  redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --dir "$SCRATCH" >"$SCRATCH/redis.log" 2>&1 &
  processes+=($!)
  until redis-cli -p "$redis_port" ping >"$SCRATCH/ping" 2>/dev/null; do
    kill -0 "${processes[-1]}" 2>/dev/null || flunk "redis-server does not start: $(cat "$SCRATCH/redis.log")"
    sleep 0.1
  done
}

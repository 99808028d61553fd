# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the tests of gst-bcp model get: a Hub on this machine, with repositories of working models.
# shellcheck source=tests/common/support.bash
. "${ROOT:?}/tests/common/support.bash"

bcp() { "$BUILD/tools/gst-bcp/gst-bcp" "$@"; }

# Makes the repository $1 (OWNER/NAME) of kind $2 (make_repository.py).
make_repository() {
  /usr/bin/python3 "$ROOT/tests/models/make_repository.py" "$SCRATCH/repositories/$1" "$ROOT/tests/data/layouts" "${2:-hugging-face}"
}

# How the repository $1 behaves, as JSON (hub_server.py).
behave() { printf '%s\n' "$2" >"$SCRATCH/repositories/$1.json"; }

# The faults of the server, as a JSON list (hub_server.py).
faults() { printf '%s\n' "$1" >"$SCRATCH/faults"; }

# Starts the server. Nothing of the user's environment is used.
start_hub() {
  mkdir -p "$SCRATCH/repositories" "$SCRATCH/files"
  /usr/bin/python3 "$ROOT/tests/models/hub_server.py" "$SCRATCH" &
  for _ in $(seq 100); do
    if [ -f "$SCRATCH/port" ]; then break; fi
    sleep 0.1
  done
  hub=http://127.0.0.1:$(cat "$SCRATCH/port")
  unset HF_TOKEN HF_HOME HF_HUB_CACHE HF_HUB_OFFLINE HF_TOKEN_PATH http_proxy https_proxy GST_BCP_MODEL_PATH
  export HF_ENDPOINT=$hub XDG_CACHE_HOME=$SCRATCH/cache XDG_DATA_HOME=$SCRATCH/data
  # shellcheck disable=SC2034  # for the cases
  cached=$SCRATCH/cache/huggingface/hub
  models=$SCRATCH/data/gst-bcp/models
}

# Gets a model with short pauses.
get() { try bcp model get --retries 2 "$@"; }

# The object id of the file $1 of a repository, as the Hub and the cache name it.
sha256_of() { sha256sum "$1" | cut -d ' ' -f 1; }

# What was asked for that matches $1, a line each.
requests() { grep -E -- "$1" "$SCRATCH/requests" || true; }

# Bytes that the server sent of what matches $1.
bytes_sent() { requests "$1" | awk '{ sum += $NF } END { print sum + 0 }'; }

expect_requests() {
  local count
  count=$(requests "$2" | wc -l)
  [ "$count" -eq "$1" ] || flunk "$count instead of $1 requests match $2: $(cat "$SCRATCH/requests"); it printed: $output"
}

# The model $1 is installed, and an element finds and runs it by its name.
expect_model() {
  gst-launch-1.0 -q videotestsrc num-buffers=1 ! bcptagger model="$1" labels="cat, dog" ! bcppublish location=- ! fakesink \
    >"$SCRATCH/results" 2>&1 || flunk "$1 does not run: $(cat "$SCRATCH/results"); it printed: $output"
  grep -q '"cat"' "$SCRATCH/results" || flunk "no result: $(cat "$SCRATCH/results")"
}

expect_no_model() { [ ! -e "$models/$1" ] || flunk "$models/$1 is there"; }

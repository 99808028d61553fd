#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Gets a CLIP model of OpenAI's by name: downloads the checkpoint, verifies it, exports it to a bundle, and puts that where
# bcptagger finds it. An interrupted download is resumed by the next run.
#
#   models/fetch.sh NAME               clip-vit-b32, ViT-B/32, vit-b-32, RN50 …; then: bcptagger model=clip-vit-b32
#   models/fetch.sh --list             the names
#
#   --into DIR         put the bundle there (default: $XDG_DATA_HOME/gst-bcp/models, which is ~/.local/share/gst-bcp/models)
#   --variant KIND     also make NAME-fp16 or NAME-int8; may be repeated
#   --base-url URL     a mirror: the file is looked for at URL/SHA256/FILE, as at OpenAI's, then at URL/FILE
#   --sha256 SUM       take a checkpoint with this sum instead of OpenAI's: weights of your own, on a mirror of your own
#   --licence TEXT     of such weights
#   --keep             keep the checkpoint in $XDG_CACHE_HOME/gst-bcp/checkpoints after the export
#   --no-export        stop when the checkpoint is there and verified, and print where
#   --again            replace a bundle that is installed already
#
# The export needs torch: scripts/setup.sh --export installs Debian's. GST_BCP_PYTHON names another Python that has it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/setup/say.sh
. "$root/scripts/setup/say.sh"

table=$root/models/checkpoints.txt
base_url=https://openaipublic.azureedge.net/clip/models own_mirror=no
default_into=${XDG_DATA_HOME:-$HOME/.local/share}/gst-bcp/models
into=$default_into
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gst-bcp/checkpoints
wanted='' own_sum='' licence='' keep=no export=yes again=no variants=()

# The checkpoints as "name file megabytes sha256", one a line.
checkpoints() { grep -v '^#' "$table"; }

list() {
  local name file megabytes
  say "name          download"
  while read -r name file megabytes _; do printf '%-13s %s, %s MB\n' "$name" "$file" "$megabytes"; done < <(checkpoints)
}

# ViT-B/32, clip-vit-b32, vit_b_32.pt, openai/clip-vit-base-patch32: all the same model.
canonical() {
  local name=${1,,}
  name=${name%.pt}
  name=${name//[^a-z0-9]/}
  name=${name//openai/}
  name=${name//clip/}
  name=${name//basepatch/b}
  printf '%s' "${name//resnet/rn}"
}

# Sets $name, $file, $megabytes and $sum to the checkpoint the user means by $1.
look_up() {
  while read -r name file megabytes sum; do
    if [ "$(canonical "$name")" = "$(canonical "$1")" ]; then return 0; fi
  done < <(checkpoints)
  fail "No model is called $1: models/fetch.sh --list has the names; models/export_clip.py --open-clip exports others."
}

sha256_of() { sha256sum -- "$1" | cut -d ' ' -f 1; }
size_of() { stat -c %s -- "$1" 2>/dev/null || printf 0; }

# One attempt to fetch $1 into $part, from where the last one ended. Sets $curl_status, $http and $reason.
attempt() {
  local progress=(--silent)
  if [ -t 2 ]; then progress=(--progress-bar); fi
  curl_status=0
  http=$(curl --fail --location --continue-at - --output "$part" --write-out '%{http_code} %{errormsg}' \
    --connect-timeout 20 --speed-limit 100 --speed-time 60 "${progress[@]}" -- "$1") || curl_status=$?
  reason=${http#* }
  http=${http%% *}
}

# Fetches $1 into $part. Goes on as long as attempts bring something; three in a row that bring nothing end it.
# Returns 1 if the address does not exist.
download() {
  local url=$1 before idle=0
  while true; do
    before=$(size_of "$part")
    attempt "$url"
    case $curl_status in
      0) return 0 ;;
      22)
        case $http in
          404 | 410) return 1 ;;
          416) return 0 ;; # nothing is left to fetch; the sum tells whether what is there is right
          5?? | 429) ;;
          *) fail "$url was refused with HTTP status $http: check the address, or name a mirror with --base-url." ;;
        esac
        ;;
      33)
        say "The server cannot resume: starting again from the beginning."
        rm -f "$part"
        resumed=no
        continue
        ;;
      6 | 7) fail "$(host_of "$url") is out of reach: check the network, or name a mirror with --base-url; what was fetched is kept." ;;
      23) fail "$part cannot be written: is the disk full? Free some space and run this again; what was fetched is kept." ;;
      35 | 51 | 60) fail "$(host_of "$url") could not prove who it is ($reason): check the certificates of this machine." ;;
      1 | 3) fail "curl cannot use the address $url: correct --base-url." ;;
    esac
    if [ "$(size_of "$part")" -gt "$before" ]; then idle=0; else idle=$((idle + 1)); fi
    [ "$idle" -lt 3 ] ||
      fail "The download from $(host_of "$url") fails again and again ($reason): run this later to go on from $(size_of "$part") bytes, or name a mirror with --base-url."
    say "The download stopped at $(($(size_of "$part") / 1000000)) MB ($reason): trying again."
    sleep "$((1 + idle))"
  done
}

host_of() { sed -E 's|^[a-z]+://([^/@]*@)?([^/]*).*|\2|' <<<"$1"; }

# Fetches the checkpoint from the first address that has it.
download_from_anywhere() {
  local url
  for url in "${urls[@]}"; do
    if download "$url"; then return 0; fi
  done
  fail "${urls[0]} does not exist (HTTP status 404): check --base-url."
}

# Leaves the verified checkpoint at $checkpoint.
fetch_checkpoint() {
  local found resumed=no
  if [ -f "$checkpoint" ]; then
    if [ "$(sha256_of "$checkpoint")" = "$sum" ]; then return 0; fi
    rm -f "$checkpoint"
  fi
  if [ -s "$part" ]; then
    resumed=yes
    say "Resuming the download of $file at $(($(size_of "$part") / 1000000)) MB."
  else
    say "Downloading $file ($megabytes MB) from $(host_of "$base_url")."
  fi
  download_from_anywhere
  found=$(sha256_of "$part")
  if [ "$found" != "$sum" ] && [ "$resumed" = yes ]; then
    say "What was resumed does not fit together: starting again from the beginning."
    rm -f "$part"
    download_from_anywhere
    found=$(sha256_of "$part")
  fi
  if [ "$found" != "$sum" ]; then
    rm -f "$part"
    fail "$file was refused: its sha256 is $found and must be $sum; a proxy or mirror has altered it, nothing was installed."
  fi
  mv "$part" "$checkpoint"
}

# Whether the bundle and all the variants asked for are there.
is_installed() {
  local suffix
  for suffix in '' "${variants[@]/#/-}"; do
    [ -f "$into/$name$suffix/bundle.json" ] || return 1
  done
}

export_bundle() {
  local python=${GST_BCP_PYTHON:-} arguments=(--checkpoint "$checkpoint") variant
  if [ -z "$python" ]; then
    "$root/scripts/setup.sh" --export
    python=${GST_BCP_DEPS:-$root/.deps}/export/bin/python
  fi
  if [ -z "$own_sum" ]; then arguments+=(--openai "$name"); else arguments+=(--licence "$licence"); fi
  for variant in "${variants[@]}"; do arguments+=(--variant "$variant"); done
  mkdir -p "$into" 2>/dev/null || fail "$into cannot be written: name another directory with --into."
  "$python" "$root/models/export_clip.py" "$into/$name" "${arguments[@]}" ||
    fail "$name could not be exported: the reason is above; the verified checkpoint stays at $checkpoint."
}

while [ $# -gt 0 ]; do
  case $1 in
    --list) list && exit 0 ;;
    -h | --help)
      sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    --into | --variant | --base-url | --sha256 | --licence)
      [ $# -gt 1 ] || fail "$1 needs a value: see models/fetch.sh --help."
      case $1 in
        --into) into=$2 ;;
        --variant) variants+=("$2") ;;
        --base-url) base_url=${2%/} own_mirror=yes ;;
        --sha256) own_sum=${2,,} ;;
        --licence) licence=$2 ;;
      esac
      shift
      ;;
    --keep) keep=yes ;;
    --no-export) export=no ;;
    --again) again=yes ;;
    -*) fail "fetch.sh does not know $1: see models/fetch.sh --help." ;;
    *)
      [ -z "$wanted" ] || fail "One model at a time: $wanted or $1?"
      wanted=$1
      ;;
  esac
  shift
done
[ -n "$wanted" ] || fail "Which model? models/fetch.sh --list has the names."
command -v curl >/dev/null || fail "curl is not installed, and the download needs it: apt-get install curl."
for variant in "${variants[@]}"; do
  case $variant in fp16 | int8) ;; *) fail "There is no variant $variant: choose fp16 or int8." ;; esac
done

look_up "$wanted"
if [ -n "$own_sum" ]; then
  [[ $own_sum =~ ^[0-9a-f]{64}$ ]] || fail "--sha256 $own_sum is no sha256: it has 64 digits from 0 to f."
  [ -n "$licence" ] || [ "$export" = no ] || fail "--sha256 means weights of your own: name their licence with --licence."
  sum=$own_sum
fi
if [ "$export" = yes ] && [ "$again" = no ] && is_installed; then
  say "$name is installed already: $into/$name (--again replaces it)."
  exit 0
fi

urls=("$base_url/$sum/$file")
if [ "$own_mirror" = yes ]; then urls+=("$base_url/$file"); fi
mkdir -p "$cache" 2>/dev/null || fail "$cache cannot be written: name another place in XDG_CACHE_HOME."
checkpoint=$cache/${file%.pt}-${sum:0:8}.pt
part=$checkpoint.part
trap 'fail "Interrupted: what was fetched is kept, the next run goes on from there."' INT TERM
exec 9>"$checkpoint.lock"
flock -n 9 || fail "Another download of $file is running: wait for it to end."

fetch_checkpoint
if [ "$export" = no ]; then
  say "Verified: $checkpoint"
  exit 0
fi
export_bundle
if [ "$keep" = no ]; then rm -f "$checkpoint" "$checkpoint.lock"; fi
if [ "$into" = "$default_into" ]; then model=$name; else model=$into/$name; fi
say "Installed in $into/$name: use it with bcptagger model=$model"

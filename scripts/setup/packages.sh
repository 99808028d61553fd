# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The distribution's packages: which are needed, which are missing, and their installation.
: "${deps:?}"

# "debian 12", "debian 13", … ; testing and unstable have no number and count as the newest.
distribution() {
  local id version
  # Read in a subshell: os-release sets a dozen variables.
  id=$(. /etc/os-release 2>/dev/null && printf '%s' "${ID:-unknown}") || id=unknown
  version=$(. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_ID:-99}") || version=0
  printf '%s %s' "$id" "${version%%.*}"
}

# True for Debian 13 (GStreamer 1.26, clang 19) or newer, and for an Ubuntu of that age or newer.
is_newer_than_debian_12() {
  local id version
  read -r id version <<<"$(distribution)"
  case $id in
    debian) [ "$version" -ge 13 ] ;;
    ubuntu) [ "$version" -ge 24 ] ;;
    *) return 1 ;;
  esac
}

# The packages of one purpose (build, tests, lint, export, quantise, compare), one per line.
packages_for() {
  case $1 in
    build)
      # Two modules of OpenCV, not libopencv-dev, which would install 166 packages instead of 56.
      printf '%s\n' g++ meson ninja-build pkg-config python3 python3-pip ca-certificates \
        libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libeigen3-dev libhwy-dev nlohmann-json3-dev libssl-dev \
        libicu-dev libpcre2-dev zlib1g-dev libprotozero-dev libcli11-dev libyaml-cpp-dev libsoup-3.0-dev glib-networking \
        libopencv-imgcodecs-dev libopencv-imgproc-dev libpango1.0-dev libmosquitto-dev libhiredis-dev libgstrtspserver-1.0-dev \
        gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-base-apps gstreamer1.0-plugins-good \
        gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav
      ;;
    tests)
      # openssl makes the certificates of run_tls; prometheus contains promtool, systemd systemd-analyze; ffmpeg contains
      # ffprobe, which reads recordings.
      printf '%s\n' git curl locales libgtest-dev libbenchmark-dev openssl prometheus systemd ffmpeg \
        gobject-introspection libgirepository1.0-dev python3-gi python3-numpy python3-pil python3-yaml \
        mosquitto mosquitto-clients redis-server redis-tools gstreamer1.0-x gstreamer1.0-gl libgl1-mesa-dri xvfb xauth fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji \
        chromium chromium-driver python3-selenium
      # Contains GstAnalytics since 1.24; 170 MB that only the bridge to it needs.
      if is_newer_than_debian_12; then printf '%s\n' libgstreamer-plugins-bad1.0-dev; fi
      ;;
    export)
      # Debian's torch is for the CPU only: 84 MB, instead of 3 GB with CUDA from the Python index. OpenBLAS is several
      # times faster than its default BLAS.
      printf '%s\n' python3 python3-pip ca-certificates libopenblas0-pthread \
        python3-torch python3-torchvision python3-numpy python3-requests python3-yaml
      ;;
    compare) printf '%s\n' python3 python3-pip python3-venv ca-certificates debootstrap ;;
    quantise) printf '%s\n' python3 python3-pip ca-certificates python3-numpy ;;
    lint)
      printf '%s\n' shellcheck codespell
      # Newer versions of clang-format and clang-tidy give other results: without version 14, only the compiler is used. The
      # ABI is compared on Debian 12 only.
      if is_newer_than_debian_12; then printf '%s\n' clang; else printf '%s\n' clang-14 clang-format-14 clang-tidy-14 abigail-tools; fi
      ;;
  esac
}

# The given packages that are not fully installed (also those that an interrupted dpkg left incomplete).
missing_packages() {
  local installed name
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p') || true
  for name in "$@"; do
    grep -qxF -- "$name" <<<"$installed" || printf '%s\n' "$name"
  done
}

# Runs a command as root, with the proxy settings and apt's own, which sudo would drop.
as_root() {
  local pass=(DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8) name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY APT_CONFIG; do
    if [ -n "${!name:-}" ]; then pass+=("$name=${!name}"); fi
  done
  if [ "$(id -u)" -eq 0 ]; then env "${pass[@]}" "$@"; else sudo env "${pass[@]}" "$@"; fi
}

# apt-get without questions; waits for another package manager to finish, and gives up on a dead network in seconds.
apt_quietly() {
  as_root apt-get -y -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10 -o Acquire::Retries=1 \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    "$@" </dev/null 2>&1
}

# Why an installation failed, as one sentence, from the logs of update and install.
explain_apt_failure() {
  local update_log=$1 install_log=$2
  if grep -qE 'Could not (connect|resolve)|Temporary failure|Failed to fetch|Unable to connect|Connection (failed|timed out|refused)' \
    "$update_log" "$install_log" 2>/dev/null; then
    fail "The package archive is out of reach: check the network and the addresses in /etc/apt, then run this again; finished downloads are kept (details: $install_log)."
  fi
  show_tail "$install_log"
  if grep -q 'Unable to locate package' "$install_log"; then
    fail "This distribution lacks a package named above: gst-bcp is made for Debian 12 and 13; install its equivalent by hand, then run this again with --no-install."
  fi
  if grep -qi 'no space left\|enough free space' "$install_log"; then
    fail "The disk is full: free some space and run this again."
  fi
  fail "apt-get could not install the packages: the reason is above, the whole log in $install_log."
}

# Lists the missing ones of the given packages and installs them.
install_packages() {
  local missing=() size update_log=$deps/log/apt-update.log install_log=$deps/log/apt-install.log
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0

  say "Packages to install: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    fail "Installing needs root, and sudo is not installed: run this as root, or ask an administrator to run: apt-get install --no-install-recommends ${missing[*]}"
  fi

  : >"$install_log"
  # Not fatal: a dead third-party source must not stop us if the packages are available.
  apt_quietly update | log_with_progress "$update_log" "Package lists" || true
  # Configures packages of an interrupted run; without this apt does nothing.
  as_root dpkg --configure -a --force-confdef --force-confold </dev/null >"$deps/log/dpkg.log" 2>&1 || true

  size=$(LC_ALL=C apt-get install --assume-no --no-install-recommends "${missing[@]}" 2>/dev/null |
    sed -n 's/^Need to get \(.*\) of archives.*/\1/p') || true
  if [ -n "$size" ]; then say "  with all they depend on: $size to download"; fi
  apt_quietly install --fix-broken --no-install-recommends "${missing[@]}" |
    log_with_progress "$install_log" "Installing" || explain_apt_failure "$update_log" "$install_log"
  say "  installed."
}

# Installs the packages of the given purposes; on a distribution without apt, lists them instead.
ensure_packages() {
  local wanted=() purpose id version
  for purpose in "$@"; do
    mapfile -t -O "${#wanted[@]}" wanted < <(packages_for "$purpose")
  done
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    fail "This system has no apt: gst-bcp sets itself up on Debian 12 and 13. Install the equivalents of these by hand, then run this again with --no-install: ${wanted[*]}"
  fi
  read -r id version <<<"$(distribution)"
  case "$id $version" in
    'debian 12' | 'debian 13') ;;
    *) say "This is $id $version; gst-bcp is tested on Debian 12 and 13. Trying the same packages." ;;
  esac
  install_packages "${wanted[@]}"
}

# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the built tree usable in this shell:  . pipelines/env.sh
#
# bash and zsh find the tree from anywhere; a plain POSIX shell does not know the path of a sourced file, so the current
# directory must be in the tree. Sourcing twice changes nothing. GST_BCP_BUILD sets another build directory than build.

# Puts directory $2 first in the list variable $1, once.
_bcp_prepend() {
  eval "_bcp_list=\${$1:-}"
  # shellcheck disable=SC2154  # set by eval
  case ":$_bcp_list:" in
    *":$2:"*) ;;
    *) eval "export $1=\"\$2\${_bcp_list:+:\$_bcp_list}\"" ;;
  esac
}

if [ -n "${BASH_VERSION:-}" ]; then
  # shellcheck disable=SC3028,SC3054  # bash only
  _bcp_root=$(cd "$(dirname "${BASH_SOURCE:-$0}")/.." && pwd -P)
elif [ -n "${ZSH_VERSION:-}" ]; then
  eval '_bcp_root=${${(%):-%x}:A:h:h}'
else
  _bcp_root=$(pwd -P)
  while [ "$_bcp_root" != / ] && [ ! -f "$_bcp_root/meson_options.txt" ]; do
    _bcp_root=$(dirname "$_bcp_root")
  done
fi
_bcp_build=${GST_BCP_BUILD:-$_bcp_root/build}

if [ ! -f "$_bcp_root/meson_options.txt" ]; then
  echo "gst-bcp: this shell cannot find the path of env.sh: change to the project's directory first." >&2
elif [ ! -f "$_bcp_build/gst-plugin/libgstbcp.so" ]; then
  echo "gst-bcp: nothing is built in $_bcp_build yet: run $_bcp_root/scripts/setup.sh first." >&2
else
  _bcp_prepend GST_PLUGIN_PATH "$_bcp_build/gst-plugin"
  _bcp_prepend GST_BCP_MODEL_PATH "$_bcp_root/models"
  _bcp_prepend LD_LIBRARY_PATH "$_bcp_build/gst-plugin/meta"
  _bcp_prepend GI_TYPELIB_PATH "$_bcp_build/gst-plugin/meta"
  _bcp_prepend PKG_CONFIG_PATH "$_bcp_build/meson-uninstalled"
  _bcp_prepend PATH "$_bcp_build/tools/gst-bcp"
  _bcp_prepend PATH "$_bcp_build/tools/rtsp-server"
  # The user's own registry stays as it is.
  export GST_REGISTRY="$_bcp_build/registry.bin"
fi
unset _bcp_root _bcp_build _bcp_list
unset -f _bcp_prepend

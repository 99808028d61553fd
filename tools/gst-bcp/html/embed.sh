#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes an assembler file that embeds files into a program: embed.sh OUT.S NAME=FILE... Each is between the
# symbols bcp_asset_NAME and bcp_asset_NAME_end.
set -eu
out=$1
shift
{
  cat <<'END'
    .macro asset name, path
    .hidden bcp_asset_\name
    .global bcp_asset_\name
bcp_asset_\name:
    .incbin "\path"
    .hidden bcp_asset_\name\()_end
    .global bcp_asset_\name\()_end
bcp_asset_\name\()_end:
    .byte 0
    .endm

    .section .rodata
END
  for asset; do
    printf '    asset %s, "%s"\n' "${asset%%=*}" "${asset#*=}"
  done
  echo '    .section .note.GNU-stack, "", %progbits'
} >"$out"

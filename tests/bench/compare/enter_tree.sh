#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a command in a Debian tree, with the directory WORK as its /mnt:   unshare --mount enter_tree.sh TREE WORK COMMAND…
# The mounts belong to the namespace that unshare made, so they are gone when the command ends. Needs root.
#
# The command sees one processor. onnxinference has no property for threads: ONNX Runtime would start one for each processor, and on
# the one core that all contenders share they spin for each other, which doubles the time.
set -eu
tree=$1 work=$2
shift 2
mount -t proc proc "$tree/proc"
mount --bind /dev "$tree/dev"
mount --bind "$work" "$tree/mnt"
awk '{ print } NF == 0 { exit }' /proc/cpuinfo >"$work/cpuinfo"
mount --bind "$work/cpuinfo" "$tree/proc/cpuinfo"
exec chroot "$tree" env LC_ALL=C.UTF-8 "$@"

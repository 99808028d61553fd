# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Pictures for a case.

# $2 pictures of plain colours in the folder $1, as BMP.
make_colors() {
  mkdir -p "$1"
  /usr/bin/python3 - "$1" "$2" <<'PYTHON'
import pathlib, random, struct, sys
random.seed(1)
for i in range(int(sys.argv[2])):
    pixels = bytes(random.randrange(256) for _ in range(3)) * 32 * 32
    header = b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + len(pixels), 0, 0, 54, 40, 32, 32, 1, 24, 0, len(pixels), 0, 0, 0, 0)
    (pathlib.Path(sys.argv[1]) / f"{i:03}.bmp").write_bytes(header + pixels)
PYTHON
}

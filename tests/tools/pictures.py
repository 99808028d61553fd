# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes pictures of every kind that people have, with the standard library and NumPy: pictures.py DIRECTORY JPEG

The JPEG is an upright photograph; turned.jpg is the same file with a tag that says it lies on its side.
"""

import pathlib
import struct
import sys
import zlib

import numpy as np

GREY, RGB, RGBA = 0, 2, 6  # PNG's own numbers


def png(pixels: np.ndarray, kind: int, said: tuple[int, int] | None = None) -> bytes:
    """A PNG of 8 or 16 bits a channel; `said` is the height and width it claims to have."""
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width = said or pixels.shape[:2]
    bits = 8 * pixels.dtype.itemsize
    rows = b"".join(b"\0" + row.astype(row.dtype.newbyteorder(">")).tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    """The JPEG with an EXIF segment that has this one entry."""
    entry = struct.pack("<HHIHH", 0x112, 3, 1, orientation, 0)
    exif = b"Exif\0\0II*\0" + struct.pack("<IH", 8, 1) + entry + struct.pack("<I", 0)
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


def main() -> None:
    directory, photograph = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_bytes()
    y, x = np.mgrid[0:120, 0:160]
    color = np.stack([x, y * 2, (x + y) // 2], axis=2).astype(np.uint8)
    grey = color[:, :, 0]
    alpha = np.concatenate([color, np.full((120, 160, 1), 3, np.uint8)], axis=2)
    pictures = {
        "rgb.png": png(color, RGB), "alpha.png": png(alpha, RGBA), "deep.png": png(color.astype(np.uint16) * 257, RGB),
        "grey.png": png(grey, GREY), "grey_as_rgb.png": png(np.stack([grey] * 3, axis=2), RGB),
        "one_pixel.png": png(color[:1, :1], RGB), "wide.png": png(np.tile(color, (1, 4, 1)), RGB),
        "too_large.png": png(color, RGB, said=(33000, 33000)),
        "cut.png": png(color, RGB)[:-400], "cut.jpg": photograph[: len(photograph) // 2], "empty.png": b"",
        "turned.jpg": with_orientation(photograph, 6), "cut_turned.jpg": with_orientation(photograph, 6)[:-200],
    }
    for name, data in pictures.items():
        (directory / name).write_bytes(data)


main()

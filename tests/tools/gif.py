#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes an animated GIF that loops for ever: gif.py FILE FRAMES HUNDREDTHS. Each frame is 64x48 and of one colour."""
import struct
import sys

WIDTH, HEIGHT = 64, 48
COLOURS = bytes([255, 255, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255])
CLEAR, END = 4, 5  # codes of three bits


def compress(index, count):
    """LZW that clears its table before codes grow."""
    codes = []
    for pixel in range(count):
        codes += [CLEAR, index] if pixel % 2 == 0 else [index]
    bits = [code >> bit & 1 for code in codes + [END] for bit in range(3)]
    return bytes(sum(bit << place for place, bit in enumerate(bits[i : i + 8])) for i in range(0, len(bits), 8))


def frame(index, delay):
    data = compress(index, WIDTH * HEIGHT)
    blocks = b"".join(bytes([len(data[i : i + 255])]) + data[i : i + 255] for i in range(0, len(data), 255))
    control = b"\x21\xf9\x04\x00" + struct.pack("<H", delay) + b"\x00\x00"
    return control + b"\x2c" + struct.pack("<4HB", 0, 0, WIDTH, HEIGHT, 0) + b"\x02" + blocks + b"\x00"


path, frames, delay = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path, "wb") as file:
    file.write(b"GIF89a" + struct.pack("<HHBBB", WIDTH, HEIGHT, 0xF1, 0, 0) + COLOURS)
    file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
    for number in range(frames):
        file.write(frame(number % 4, delay))
    file.write(b"\x3b")

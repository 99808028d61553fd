#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads a stored contribution with a reader written only from src/fleet/format.md.

Usage: fleet_page_test.py FILE
"""

import struct
import sys
import zlib
from pathlib import Path


def in_order(reordered: bytes) -> bytes:
    words = len(reordered) // 8
    plain = bytearray(reordered)
    for byte in range(8):
        plain[byte : words * 8 : 8] = reordered[byte * words : (byte + 1) * words]
    return bytes(plain)


def read_contribution(value: bytes) -> tuple[str, int, bytes]:
    magic, version, session, number, size = struct.unpack_from("<8sI32sQQ", value)
    assert magic == b"BCPFLEET" and version == 1
    assert zlib.crc32(value[:-4]) == struct.unpack("<I", value[-4:])[0]
    snapshot = in_order(zlib.decompress(value[60:-4]))
    assert len(snapshot) == size
    return session.decode(), number, snapshot


def main() -> None:
    session, number, snapshot = read_contribution(Path(sys.argv[1]).read_bytes())
    assert len(session) == 32 and int(session, 16) > 0 and number == 2, (session, number)
    # The beginning of snapshot.md.
    magic, _, _, length, count, model_size, _, samples = struct.unpack_from("<8sIIQIIQd", snapshot)
    assert magic == b"BCPPRIOR" and length == len(snapshot) and samples == 226, (magic, length, samples)
    assert zlib.crc32(snapshot[:-4]) == struct.unpack("<I", snapshot[-4:])[0]
    at, labels = 48 + model_size, []
    for _ in range(count):
        (size,) = struct.unpack_from("<I", snapshot, at)
        labels.append(snapshot[at + 4 : at + 4 + size].decode())
        at += 4 + size
    assert labels == ["person", "car", "bicycle", "bottle", "street"], labels
    masses = struct.unpack_from(f"<{count}d", snapshot, at)
    assert abs(sum(masses) - samples) < 1e-3, masses  # rounded
    for mass in masses:
        assert struct.unpack("<Q", struct.pack("<d", mass))[0] & ((1 << 29) - 1) == 0  # 24 significant bits


if __name__ == "__main__":
    main()

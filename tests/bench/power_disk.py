# SPDX-License-Identifier: LGPL-2.1-or-later
"""A disk whose power can be cut: an ext4 file system on a loop device whose backing file this program serves.

The loop device writes to a FUSE file, and this program is its server, so it sees each write and each flush in their order, and
nothing else is cached in between. Like a real disk it has a write cache: what is not flushed may be lost at a power cut, each
block of 4 KiB by itself, whatever the order in which they came. What a file system has not written yet, as it is in the
memory of the kernel, is lost anyway. Needs root.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import random
import struct
import subprocess
import threading
import time

BLOCK = 4096  # what a disk writes as a whole
SIZE = 256 << 20
AT_A_WRITE, MOST_WRITES = 0.7, 30  # how many cuts wait for a write, and for how many at most: a disk writes at few moments
PATIENCE = 1.5  # seconds for these writes
LOST, SOME, KEPT = 0.0, 0.5, 1.0  # how likely a write in the cache still reached the disk

# FUSE: operations, and the sizes of their headers (include/uapi/linux/fuse.h).
FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, RELEASE = 2, 3, 4, 14, 15, 16, 18
FSYNC, FLUSH, INIT, INTERRUPT, DESTROY, MANY_FORGOTTEN = 20, 25, 26, 36, 38, 42
HEADER, WRITE_HEADER, LARGEST = 40, 40, 1 << 20
NO_SUCH_CALL = -38
PAST_THE_CACHE = 1  # FOPEN_DIRECT_IO


def run(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"{command[0]} failed ({done.returncode}): {done.stdout}{done.stderr}")
    return done.stdout


class Cache:
    """The blocks of the disk's file, and how those that are not flushed were before."""

    def __init__(self, path: pathlib.Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(self._fd, SIZE)
        self._lock = threading.Lock()
        self._flushed: dict[int, bytes] = {}
        self._pending: list[tuple[int, bytes]] = []
        self._has_power = True
        self._chance, self._kept, self._to_come, self._at = random.Random(), LOST, 0, 0.0

    def read(self, offset: int, size: int) -> bytes:
        return os.pread(self._fd, size, offset)

    def write(self, offset: int, data: bytes) -> None:
        with self._lock:
            self._to_come -= 1
            if self._to_come == 0 and self._has_power:
                self._cut()
            if not self._has_power:
                return  # of the machine that has lost its power
            first, last = offset // BLOCK, (offset + len(data) - 1) // BLOCK
            for block in range(first, last + 1):
                self._flushed.setdefault(block, os.pread(self._fd, BLOCK, block * BLOCK))
            os.pwrite(self._fd, data, offset)
            self._pending += [(block, os.pread(self._fd, BLOCK, block * BLOCK)) for block in range(first, last + 1)]

    def flush(self) -> None:
        with self._lock:
            self._flushed.clear()
            self._pending.clear()

    def cut(self, chance: random.Random, kept: float, writes: int) -> float:
        """Cuts the power after so many writes, or when no more come, or at once. The time of it."""
        with self._lock:
            self._chance, self._kept = chance, kept
            self._to_come = writes
        end = time.monotonic() + PATIENCE
        while self._has_power and writes > 0 and time.monotonic() < end:
            time.sleep(0.005)
        with self._lock:
            if self._has_power:
                self._cut()
            return self._at

    def _cut(self) -> None:
        self._at = time.time()
        self._has_power, self._to_come = False, 0
        for block, data in self._flushed.items():
            os.pwrite(self._fd, data, block * BLOCK)
        for block, data in self._pending:
            if self._chance.random() < self._kept:
                os.pwrite(self._fd, data, block * BLOCK)
        self._flushed.clear()
        self._pending.clear()

    def switch_on(self) -> None:
        self._has_power = True

    def close(self) -> None:
        os.close(self._fd)


class Server:
    """The file `path` as the kernel sees the disk: a FUSE file system that is one file."""

    def __init__(self, path: pathlib.Path, cache: Cache) -> None:
        path.touch()
        self.path, self._cache = path, cache
        self._fd = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self._fd},rootmode=100600,user_id=0,group_id=0"
        if ctypes.CDLL(None, use_errno=True).mount(b"power_disk", os.fsencode(path), b"fuse", 0, options.encode()) != 0:
            raise OSError(ctypes.get_errno(), "cannot mount FUSE: run as root")
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        subprocess.run(["umount", "-l", self.path], check=False)
        os.close(self._fd)

    def _serve(self) -> None:
        while True:
            try:
                request = os.read(self._fd, LARGEST + HEADER + WRITE_HEADER)
            except OSError:
                return  # unmounted
            _, operation, unique = struct.unpack_from("<IIQ", request)
            if operation in (FORGET, MANY_FORGOTTEN, INTERRUPT):
                continue
            error, answer = 0, b""
            if operation == INIT:
                major, minor, ahead, _ = struct.unpack_from("<IIII", request, HEADER)
                answer = struct.pack("<IIIIHHIIHHI", major, min(minor, 31), ahead, 1 << 5, 16, 12, 128 << 10, 1, 0, 0, 0) + bytes(28)
            elif operation in (GETATTR, SETATTR):
                answer = struct.pack("<QII", 3600, 0, 0)
                answer += struct.pack("<6Q10I", 1, SIZE, SIZE // 512, 0, 0, 0, 0, 0, 0, 0o100600, 1, 0, 0, 0, BLOCK, 0)
            elif operation == OPEN:
                answer = struct.pack("<QII", 1, PAST_THE_CACHE, 0)
            elif operation == READ:
                _, offset, size = struct.unpack_from("<QQI", request, HEADER)
                answer = self._cache.read(offset, size)
            elif operation == WRITE:
                _, offset, size = struct.unpack_from("<QQI", request, HEADER)
                self._cache.write(offset, request[HEADER + WRITE_HEADER:HEADER + WRITE_HEADER + size])
                answer = struct.pack("<II", size, 0)
            elif operation == FSYNC:
                self._cache.flush()
            elif operation not in (FLUSH, RELEASE, DESTROY):
                error = NO_SUCH_CALL
            try:
                os.write(self._fd, struct.pack("<IiQ", 16 + len(answer), error, unique) + answer)
            except OSError:
                continue  # the request is not waited for any more


class PowerDisk:
    """The disk, and the folder at which its ext4 is mounted, with the default options."""

    def __init__(self, scratch: pathlib.Path) -> None:
        self.folder = scratch / "disk"
        self.folder.mkdir()
        self._cache = Cache(scratch / "disk.image")
        self._server = Server(scratch / "disk.served", self._cache)
        self._device = ""
        run("mkfs.ext4", "-q", "-F", "-E", "nodiscard", "-b", BLOCK, self._server.path)
        self._cache.flush()
        self._mount()

    def _mount(self) -> None:
        self._device = run("losetup", "--find", "--show", self._server.path).strip()
        run("mount", "-t", "ext4", self._device, self.folder)

    def cut(self, chance: random.Random) -> float:
        """Cuts the power, at the time that it returns: now, or in the middle of what is written next.

        The writes of processes that still run reach nothing."""
        writes = chance.randrange(1, MOST_WRITES) if chance.random() < AT_A_WRITE else 0
        return self._cache.cut(chance, chance.choice([LOST, SOME, KEPT]), writes)

    def come_back(self) -> None:
        """Mounts what is left, after a check of the file system. REQUIRES: no process uses the folder."""
        self._unmount()
        self._cache.switch_on()
        self._device = run("losetup", "--find", "--show", self._server.path).strip()
        # Replays the journal, and must find nothing that needs a person: else this disk would lose what no disk does.
        checked = subprocess.run(["e2fsck", "-f", "-p", self._device], capture_output=True, text=True, check=False)
        if checked.returncode > 1:
            raise OSError(f"the file system is damaged: {checked.stdout}{checked.stderr}")
        run("mount", "-t", "ext4", self._device, self.folder)

    def _unmount(self) -> None:
        for _ in range(100):
            done = subprocess.run(["umount", self.folder], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
            time.sleep(0.05)
        else:
            raise OSError(f"the disk is still in use: {done.stderr}")
        run("losetup", "-d", self._device)
        while run("losetup", "--list", "--noheadings", "--associated", self._server.path).strip():
            time.sleep(0.02)

    def close(self) -> None:
        subprocess.run(["umount", "-l", self.folder], capture_output=True, check=False)
        subprocess.run(["losetup", "-d", self._device], capture_output=True, check=False)
        self._server.close()
        self._cache.close()

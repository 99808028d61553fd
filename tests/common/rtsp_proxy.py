# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simulates a bad network between a player and an RTSP server, both on this machine.

    rtsp_proxy.py PORT

PORT is the server's. The proxy listens on a free port, which is the first line it prints; then it reads one command per line
and answers "ok", until its input ends:

    pass        forward everything (the default)
    stall       keep the connections, accept new ones, and forward nothing; `pass` forwards the data received meanwhile
    hole        the same, but drop the data: existing and new connections stay dead
    cut         reset all connections, and each new one at once
    lose N      drop N % of the packets with pictures and sound (RTSP over TCP), from a fixed sequence
    jitter N    delay each piece by up to N milliseconds
"""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import sys

PIECE = 64 * 1024


class Network:
    """The current treatment of data."""

    def __init__(self) -> None:
        self.mode = "pass"
        self.loss = 0.0
        self.jitter = 0.0
        self.flows = asyncio.Event()
        self.flows.set()
        self.connections: set[Connection] = set()
        self.random = random.Random(1)

    def obey(self, command: str, number: float) -> None:
        if command not in ("pass", "stall", "hole", "cut", "lose", "jitter"):
            raise ValueError(f"there is no command {command}")
        self.mode = command
        self.loss = number / 100 if command == "lose" else 0.0
        self.jitter = number / 1000 if command == "jitter" else 0.0
        for connection in list(self.connections):
            if command == "hole":
                connection.dead = True
            if command == "cut":
                connection.reset()
        if command == "stall":
            self.flows.clear()
        else:
            self.flows.set()


class Packets:
    """Splits an RTSP server's bytes into replies and packets, which begin with $."""

    def __init__(self) -> None:
        self._held = b""

    def add(self, data: bytes) -> list[tuple[bool, bytes]]:
        """The complete parts, each with whether it is a packet."""
        self._held += data
        parts: list[tuple[bool, bytes]] = []
        while self._held:
            size = self._size()
            if size is None or len(self._held) < size:
                break
            parts.append((self._held[:1] == b"$", self._held[:size]))
            self._held = self._held[size:]
        return parts

    def _size(self) -> int | None:
        if self._held[:1] == b"$":
            return 4 + struct.unpack(">H", self._held[2:4])[0] if len(self._held) >= 4 else None
        end = self._held.find(b"\r\n\r\n")
        if end < 0:
            return None
        size = end + 4
        for line in self._held[:end].split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                size += int(value)
        return size


class Connection:
    """One player and its own connection to the server."""

    def __init__(self, network: Network, player: tuple, server: tuple) -> None:
        self._network = network
        self._player, self._server = player, server
        self.dead = network.mode == "hole"

    def reset(self) -> None:
        self.dead = False
        for _, writer in (self._player, self._server):
            if writer.is_closing():
                continue
            sock = writer.get_extra_info("socket")
            # Closed with a reset, like a machine that has just restarted.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.close()

    async def run(self) -> None:
        self._network.connections.add(self)
        try:
            await asyncio.wait(
                [asyncio.create_task(self._forward(self._player[0], self._server[1], None)),
                 asyncio.create_task(self._forward(self._server[0], self._player[1], Packets()))],
                return_when=asyncio.FIRST_COMPLETED)
            while self.dead:  # its end is not forwarded either
                await asyncio.sleep(0.2)
        finally:
            self._network.connections.discard(self)
            for _, writer in (self._player, self._server):
                writer.close()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, packets: Packets | None) -> None:
        try:
            while data := await reader.read(PIECE):
                await self._network.flows.wait()
                if self.dead:
                    continue
                if self._network.jitter:
                    await asyncio.sleep(self._network.random.uniform(0, self._network.jitter))
                if packets:
                    data = b"".join(part for is_packet, part in packets.add(data) if not is_packet or self._survives())
                writer.write(data)
                await writer.drain()
        except OSError:
            pass

    def _survives(self) -> bool:
        return self._network.random.random() >= self._network.loss


async def main() -> None:
    target = int(sys.argv[1])
    network = Network()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        player = (reader, writer)
        try:
            if network.mode == "cut":
                raise OSError("cut")
            server = await asyncio.open_connection("127.0.0.1", target)
        except OSError:
            writer.close()
            return
        await Connection(network, player, server).run()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(listener.sockets[0].getsockname()[1], flush=True)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := (await commands.readline()).decode().split():
        network.obey(line[0], float(line[1]) if len(line) > 1 else 0.0)
        print("ok", flush=True)


if __name__ == "__main__":
    asyncio.run(main())

"""A proxy for a program that makes requests of its own, such as a browser. Whatever it connects to
is checked as the guarded client checks it.

It listens on a Unix socket, so that a program without a network can be given this one way out. It
sees the address of each connection before anything is sent: names that change their answer and
redirects, also those inside TLS, come as connections of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Mapping
from pathlib import Path

from aiohttp.abc import AbstractResolver
from yarl import URL

from workers.core.net.guard import AddressRefused, GuardedResolver, check_url, is_below

HEAD_BYTES = 64 * 1024
HEAD_SECONDS = 10.0
CONNECT_SECONDS = 10.0
CHUNK = 64 * 1024
HOP_BY_HOP = frozenset({"connection", "keep-alive", "proxy-connection", "proxy-authorization"})
PORT = 80


class GuardedProxy:
    """Use as `async with GuardedProxy(path, …) as proxy`. `own`: what is below this address may be
    asked for although it is private, and gets `headers`, which the program never sees. After
    `max_bytes` from all servers it connects to nothing. `refused` says why, by host, for programs
    that hide a proxy's answer from people."""

    def __init__(
        self,
        path: Path,
        *,
        own: str = "",
        headers: Mapping[str, str] | None = None,
        max_bytes: int,
        names: AbstractResolver | None = None,
    ) -> None:
        self._path = path
        self._own, self._headers = own, dict(headers or {})
        self._max_bytes = max_bytes
        self._names = names
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.received = 0
        self.refused: dict[str, str] = {}

    async def __aenter__(self) -> GuardedProxy:
        self._server = await asyncio.start_unix_server(
            self._accept, str(self._path), limit=HEAD_BYTES
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        self._path.unlink(missing_ok=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._served(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            await self._forwarded(head.decode("latin-1"), reader, writer)
        except (OSError, TimeoutError, EOFError, asyncio.LimitOverrunError):
            pass  # the program sees a connection that ended
        finally:
            writer.close()

    async def _forwarded(
        self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        first, *fields = head.rstrip("\r\n").split("\r\n")
        method, _, rest = first.partition(" ")
        is_tunnel = method == "CONNECT"
        try:
            asked = _asked(rest.rpartition(" ")[0], is_tunnel=is_tunnel)
            upstream = await self._connected(asked)
        except AddressRefused as error:
            _answer(writer, 403, error.message)
            return
        except (OSError, TimeoutError) as error:
            _answer(writer, 502, f"No connection: {error or 'no answer in time'}.")
            return
        source, sink = upstream
        try:
            if is_tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                line = f"{method} {asked.raw_path_qs} HTTP/1.1"
                own = self._headers if is_below(asked, self._own) else {}
                told = [f"{name}: {value}" for name, value in own.items()]
                sink.write(_closing(line, [*fields, *told]))
            async with asyncio.TaskGroup() as pumps:
                sending = pumps.create_task(_pump(reader, sink))
                await self._received(source, writer, is_tunnel=is_tunnel, host=asked.host or "")
                sending.cancel()
        except* (OSError, EOFError, asyncio.LimitOverrunError):
            pass
        finally:
            sink.close()

    async def _connected(self, asked: URL) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Raises AddressRefused, OSError, TimeoutError."""
        host, port = asked.raw_host or "", asked.port or PORT
        may_be_private = is_below(asked, self._own)
        try:
            self._check_received()
            check_url(str(asked.origin()), allow_private=may_be_private)
            names = GuardedResolver(allow_private=may_be_private, inner=self._names)
            async with asyncio.timeout(CONNECT_SECONDS):
                found = await names.resolve(host, port, socket.AF_UNSPEC)
                return await _first([each["host"] for each in found], port)
        except AddressRefused as error:
            self.refused[host] = error.message
            raise

    def _check_received(self) -> None:
        if self.received > self._max_bytes:
            raise AddressRefused(f"More than {self._max_bytes:,} bytes were received.")

    async def _received(
        self,
        source: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        is_tunnel: bool,
        host: str,
    ) -> None:
        if not is_tunnel:
            # The next request on this connection could be for another host.
            first, *fields = (await source.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            writer.write(_closing(first, [field for field in fields if field]))
        while data := await source.read(CHUNK):
            self.received += len(data)
            try:
                self._check_received()
            except AddressRefused as error:
                self.refused[host] = error.message
                return
            writer.write(data)
            await writer.drain()


def _asked(target: str, *, is_tunnel: bool) -> URL:
    """The address that a request names. Raises AddressRefused."""
    return check_url(f"https://{target}" if is_tunnel else target, allow_private=True)


async def _first(
    addresses: list[str], port: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the first address that takes one. Raises OSError."""
    failed: OSError | None = None
    for address in addresses:
        try:
            return await asyncio.open_connection(address, port, limit=HEAD_BYTES)
        except OSError as error:
            failed = error
    raise failed or OSError("the name has no address")


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(CHUNK):
        sink.write(data)
        await sink.drain()
    with contextlib.suppress(OSError):
        sink.write_eof()


def _closing(first: str, fields: list[str]) -> bytes:
    """A head that ends the connection after its message."""
    kept = [field for field in fields if field.partition(":")[0].lower() not in HOP_BY_HOP]
    return "\r\n".join([first, *kept, "Connection: close", "", ""]).encode("latin-1")


def _answer(writer: asyncio.StreamWriter, status: int, text: str) -> None:
    body = text.encode()
    head = f"HTTP/1.1 {status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)

"""A site of the web on a real connection, which misbehaves byte by byte.

async with site({"/": Said(b"<p>Hello"), "/slow": Said(b"…", pause=1.0)}) as web:
    await client.request("GET", f"{web.url}/slow")
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Said:
    """One answer. `pause`: seconds after each byte of the body. `endless`: the body comes again
    and again. `silent`: nothing comes at all. `missing`: bytes that are announced and never come.
    """

    body: bytes = b""
    status: int = 200
    media_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    pause: float = 0.0
    endless: bool = False
    silent: bool = False
    missing: int = 0


@dataclass(slots=True)
class Site:
    """`asked`: the targets of all requests; `heads`: their headers; `sent`: bytes of bodies."""

    url: str
    asked: list[str] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    sent: int = 0


Pages = Mapping[str, Said | Sequence[Said]]


@asynccontextmanager
async def site(pages: Pages) -> AsyncGenerator[Site]:
    """Answers by path. Several answers come in order, the last one again and again."""
    web = Site("")
    turns: dict[str, int] = {}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode()
            web.asked.append(target)
            web.heads.append(head)
            web.bodies.append(await _body(reader, head))
            path = target.partition("?")[0]
            listed = pages.get(path, Said(b"not here", status=404))
            replies = [listed] if isinstance(listed, Said) else list(listed)
            turn = turns.get(path, 0)
            turns[path] = turn + 1
            await _send(writer, replies[min(turn, len(replies) - 1)], web)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    web.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield web
    finally:
        server.close()


async def _body(reader: asyncio.StreamReader, head: bytes) -> bytes:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return await reader.readexactly(int(line.split(b":")[1]))
    return b""


async def _send(writer: asyncio.StreamWriter, said: Said, web: Site) -> None:
    if said.silent:
        await asyncio.sleep(3_600)
    lines = [f"HTTP/1.1 {said.status} Scripted", "Connection: close"]
    if said.media_type:
        lines.append(f"Content-Type: {said.media_type}")
    if not said.endless:
        lines.append(f"Content-Length: {len(said.body) + said.missing}")
    lines += [f"{name}: {value}" for name, value in said.headers]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    while True:
        step = 1 if said.pause else len(said.body) or 1
        for start in range(0, len(said.body), step):
            writer.write(said.body[start : start + step])
            web.sent += step
            await writer.drain()
            await asyncio.sleep(said.pause)
        if not said.endless:
            return

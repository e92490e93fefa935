"""Turns documents into text (pages, PDF, DOCX, XLSX, PPTX, CSV), and makes pictures small.

A document is hostile input for large libraries. So a process of its own reads it
(`documents_inside`), in the sandbox of programs: no network, no files of the host, no environment.
It imports the libraries once and forks for each document, under limits of memory and time. Where
bubblewrap can't run, the process has these limits alone.
"""

import asyncio
import json
import sys
import sysconfig
from asyncio.subprocess import Process
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workers.core.tools.base import ToolLimits
from workers.core.tools.sandbox import sandbox_status, start_sandbox
from workers.core.tools.sandbox_command import bubblewrap_path, handed_over, launcher
from workers.core.tools.sandbox_process import end_process

PARALLEL = 3
START_SECONDS = 30.0
"""A process may need these to import its libraries on a busy machine, beside a document's own."""
_LINE_BYTES = 64 * 1024 * 1024
_PACKAGES = "/packages"
_FOR_EVER = ToolLimits(seconds=86_400.0, memory_mib=4_096)
_MANY = 100_000
"""Processes: outside the sandbox the kernel counts all of the user's."""


@dataclass(frozen=True, slots=True)
class Document:
    """`cut`: the text is longer than the limit, or reading all of it took too long. `picture`: a
    JPEG in base64 instead of a text."""

    title: str
    text: str
    cut: bool = False
    picture: str = ""


class Unreadable(Exception):
    """Why a document has no text, as sentences."""


class DocumentReaders:
    """At most `PARALLEL` processes, started when needed and kept. Use in one event loop."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(PARALLEL)
        self._idle: list[Process] = []

    async def read(
        self,
        data: bytes,
        limits: ToolLimits,
        *,
        name: str = "",
        media_type: str = "",
        charset: str = "",
        url: str = "",
        pictures: bool = False,
    ) -> Document:
        """Raises Unreadable. `output_chars` of the limits is the longest text. `pictures`: the
        caller can use them."""
        about = {
            **{"name": name, "media_type": media_type, "charset": charset, "url": url},
            **{"size": len(data), "seconds": limits.seconds, "memory_mib": limits.memory_mib},
            **{"chars": limits.output_chars, "pictures": pictures},
        }
        async with self._places:
            process = await self._taken()
            try:
                async with asyncio.timeout(limits.seconds + START_SECONDS):
                    line = await _asked(process, json.dumps(about).encode() + b"\n" + data)
                told = json.loads(line)
            except (OSError, ValueError, TimeoutError) as error:
                await end_process(process)
                raise Unreadable("The process that reads documents broke off.") from error
            except asyncio.CancelledError:
                await end_process(process)
                raise
            self._idle.append(process)
        if not told["ok"]:
            raise Unreadable(told["error"])
        return Document(told["title"], told["text"], told["cut"], told["picture"])

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        for process in idle:
            await end_process(process)

    async def _taken(self) -> Process:
        while self._idle:
            if (process := self._idle.pop()).returncode is None:
                return process
        return await _started()


async def _started() -> Process:
    isolated, _ = await asyncio.to_thread(sandbox_status)
    bubblewrap = bubblewrap_path()
    packages = sysconfig.get_path("purelib")
    if isolated and bubblewrap:
        process = await start_sandbox(
            bubblewrap, packages=(packages, _PACKAGES), line_bytes=_LINE_BYTES
        )
        work = handed_over(_reader(_PACKAGES), "", _FOR_EVER)
    else:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", "-B", "-u", "-X", "utf8", "-c", launcher(), "0"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            limit=_LINE_BYTES,
            env={},
        )
        work = handed_over(_reader(packages), "", _FOR_EVER, processes=_MANY)
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    process.stdin.write(work)
    return process


async def _asked(process: Process, request: bytes) -> bytes:
    assert process.stdin is not None  # noqa: S101 - both are pipes
    assert process.stdout is not None  # noqa: S101
    process.stdin.write(request)
    await process.stdin.drain()
    return await process.stdout.readline()


@lru_cache(maxsize=2)
def _reader(packages: str) -> str:
    source = Path(__file__).with_name("documents_inside.py").read_text(encoding="utf-8")
    return source.replace('PACKAGES = ""', f"PACKAGES = {packages!r}", 1)

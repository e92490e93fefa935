"""The processes that read documents: what becomes of them, and what they may do."""

import asyncio
import os
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from workers.core.tools import documents as module
from workers.core.tools.base import ToolLimits
from workers.core.tools.documents import Document, DocumentReaders, Unreadable

LIMITS = ToolLimits(seconds=20, memory_mib=1_536, output_chars=10_000)


@pytest_asyncio.fixture
async def readers() -> AsyncIterator[DocumentReaders]:
    made = DocumentReaders()
    yield made
    await made.close()


def children() -> set[int]:
    found: set[int] = set()
    for task in os.listdir(f"/proc/{os.getpid()}/task"):
        with open(f"/proc/{os.getpid()}/task/{task}/children") as listed:
            found |= set(map(int, listed.read().split()))
    return found


async def test_one_process_reads_one_document_after_the_other(readers: DocumentReaders) -> None:
    before = children()
    for text in ("one", "two"):
        assert await readers.read(text.encode(), LIMITS) == Document("", text)
    assert len(children() - before) == 1
    await readers.close()
    assert children() == before


async def test_a_process_that_was_killed_is_replaced(readers: DocumentReaders) -> None:
    before = children()
    await readers.read(b"one", LIMITS)
    [process] = readers._idle
    process.kill()
    await process.wait()
    assert (await readers.read(b"two", LIMITS)).text == "two"
    assert len(children() - before) == 1


async def test_a_reader_that_is_not_waited_for_is_ended(readers: DocumentReaders) -> None:
    before = children()
    await readers.read(b"warm", LIMITS)
    page = b"<html><body>" + b"<p>many words of a page that takes long to read</p>" * 30_000
    reading = asyncio.create_task(readers.read(page, LIMITS, media_type="text/html"))
    await asyncio.sleep(0.1)
    reading.cancel()
    await asyncio.wait([reading])
    assert children() == before
    assert (await readers.read(b"next", LIMITS)).text == "next"


async def test_one_document_leaves_nothing_for_the_next(readers: DocumentReaders) -> None:
    with pytest.raises(Unreadable):
        await readers.read(b"%PDF-1.4 broken", LIMITS)
    assert (await readers.read(b"next", LIMITS)).text == "next"


async def test_where_bubblewrap_can_not_run_limits_remain(
    readers: DocumentReaders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "sandbox_status", lambda: (False, "no namespaces here"))
    page = b"<title>T</title><p>Zeitung"
    assert await readers.read(page, LIMITS, name="a.html") == Document("T", "Zeitung")
    small = ToolLimits(seconds=20, memory_mib=64, output_chars=1_000)
    with pytest.raises(Unreadable, match="needs more than 64 MiB"):
        await readers.read(b"word " * 5_000_000 + "🚀".encode(), small)

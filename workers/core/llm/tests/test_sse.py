"""The parser sees the same events wherever the chunks are cut."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.llm.sse import SSEParser, SSETooLong

DATA = st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=30)
EVENTS = st.lists(st.lists(DATA, min_size=1, max_size=3), max_size=5)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
NOISE = st.sampled_from([b"", b": comment", b"event: delta", b"id: 7", b"retry"])


def fed(chunks: list[bytes]) -> list[bytes]:
    parser = SSEParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return events + parser.finish()


@settings(deadline=None)
@given(EVENTS, ENDS, NOISE, st.data())
def test_chunk_boundaries_do_not_matter(
    events: list[list[str]], end: bytes, noise: bytes, data: st.DataObject
) -> None:
    stream = b""
    for lines in events:
        stream += noise + end if noise else b""
        stream += b"".join(b"data: " + line.encode() + end for line in lines) + end
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12).map(sorted))
    edges = [0, *cuts, len(stream)]
    chunks = [stream[a:b] for a, b in pairwise(edges)]
    assert fed(chunks) == ["\n".join(lines).encode() for lines in events]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=40)))
def test_any_bytes_are_taken_and_cuts_do_not_matter(chunks: list[bytes]) -> None:
    assert fed(chunks) == fed([b"".join(chunks)])


def test_events_come_as_soon_as_they_are_complete() -> None:
    parser = SSEParser()
    assert parser.feed(b"data: a\n") == []
    assert parser.feed(b"\nda") == [b"a"]
    assert parser.feed(b"ta:b\r") == []
    assert parser.feed(b"\n\r") == [b"b"]


def test_the_last_event_needs_no_blank_line() -> None:
    assert fed([b"data: [DONE]"]) == [b"[DONE]"]


def _feed_forever(parser: SSEParser, chunk: bytes) -> None:
    for _ in range(10_000):
        parser.feed(chunk)


@pytest.mark.parametrize("chunk", [b"x" * 1_000, b"data: y\n" * 100])
def test_an_event_without_end_is_refused_in_linear_time(chunk: bytes) -> None:
    parser = SSEParser()
    started = time.process_time()
    with pytest.raises(SSETooLong):
        _feed_forever(parser, chunk)
    assert time.process_time() - started < 2

"""Puts the events of a streamed answer together, whatever else comes between them."""

import re
from typing import Any

from workers.core.llm.calls import CallPieces
from workers.core.llm.finish import FAILED, read_finish
from workers.core.llm.reported import Reported, find_error, find_words, read_error
from workers.core.llm.sse import ErrorEvent
from workers.core.llm.texts import Pieces, load_json, whole
from workers.core.llm.wire import (
    Answer,
    Garbage,
    broken_off,
    decode,
    ended,
    read_parts,
    read_usage,
)

_DONE = re.compile(rb"[\"']?\s*\[done\]\s*[\"']?", re.IGNORECASE)
_FRAMES = re.compile(rb"(?:data:\s*)+")
_PING = re.compile(rb"[\w .:-]{0,40}")
"""`ping`, `keep-alive`, `null`: data of an event that is not part of an answer. A longer text, or
one with other marks, may be a damaged part and is not skipped."""


def _lines(event: bytes) -> list[bytes]:
    """Split events that no blank line separates: they come as one, an object per line."""
    try:
        load_json(event)
    except ValueError:
        return event.split(b"\n")
    return [event]


class StreamAssembler:
    """Puts the chunks of a stream together.

    `complete` once a finish reason or [DONE] was seen; a stream that ends earlier was broken off.
    `chars` is the length of text and calls; `size` also counts reasoning and refusals.
    `recognised`: some event was part of a chat completion.
    """

    __slots__ = ("_calls", "_finish", "_refused", "_said", "_thought", "_usage", "complete", "done",
                 "recognised")  # fmt: skip

    def __init__(self) -> None:
        self._said, self._thought, self._refused = Pieces(), Pieces(), Pieces()
        self._calls = CallPieces()
        self._finish: str | None = None
        self._usage: object = None
        self.complete = self.done = self.recognised = False

    @property
    def chars(self) -> int:
        return self._said.chars + self._calls.chars

    @property
    def size(self) -> int:
        return self.chars + self._thought.chars + self._refused.chars

    def take_event(self, event: bytes) -> str:
        """The text that an event's data adds. Raises Garbage, or Reported for an error."""
        if isinstance(event, ErrorEvent):
            raise Reported(read_error(event))
        event = event.strip()
        if not event.startswith(b"{"):
            return self._take_other(event)
        if b"\n" in event and len(lines := _lines(event)) > 1:
            return "".join(self.take_event(line) for line in lines)
        data = decode(event)
        if (said := find_error(data, piece=True)) is not None:
            raise Reported(said)
        return self.take(data)

    def _take_other(self, event: bytes) -> str:
        """Data that is not an object: an end, a ping, a list, or an event that a proxy wrapped."""
        if framed := _FRAMES.match(event):
            return self.take_event(event[framed.end() :])
        if _DONE.fullmatch(event):
            self.done = self.complete = True
        elif not _PING.fullmatch(event) or find_words(event):
            said = find_error(decode(event), piece=True)
            raise Reported(said) if said else Garbage("an event is no part of an answer")
        return ""

    def take(self, data: dict[str, Any]) -> str:
        """The text of one chunk; empty if it has none, as an event without choices. Raises Garbage,
        or Reported if the chunk ends the answer as failed."""
        try:
            self._take_usage(data)
            choices = data.get("choices")
            if not choices:
                return ""
            choice = choices[0]
            if choice is None:
                return ""
            self._take_usage(choice)
            finish = read_finish(choice.get("finish_reason"))
            text = self._take_piece(self._piece(choice))
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise Garbage("a chunk has no choices[0].delta") from error
        self.recognised = True
        if finish == FAILED:
            raise Reported(broken_off(choice["finish_reason"]))
        if finish is not None:
            self._finish, self.complete = finish, True
        return text

    def end(self) -> str:
        """The text that still waited for its other half."""
        self._thought.end()
        self._refused.end()
        return self._said.end()

    def answer(self) -> Answer:
        calls = self._calls.calls()
        prompt, completion = read_usage(self._usage, spoke=self.size > 0 or bool(calls))
        return Answer(
            self._said.text(),
            self._finish or ended(calls),
            prompt,
            completion,
            calls,
            self._thought.text(),
            whole(self._refused.text()),
        )

    def _piece(self, choice: dict[str, Any]) -> dict[str, Any]:
        """Some servers send the whole message as one event."""
        piece = choice.get("delta") or {}
        if "delta" not in choice and not self.size and not self._calls:
            piece = choice.get("message") or {}
        if not isinstance(piece, dict):
            raise TypeError("a delta is no object")
        return piece

    def _take_piece(self, piece: dict[str, Any]) -> str:
        parts = read_parts(piece)
        if piece.get("tool_calls"):
            self._calls.take(piece["tool_calls"])
        if parts.reasoning:
            self._thought.add(parts.reasoning)
        if parts.refusal:
            self._refused.add(parts.refusal)
        return self._said.add(parts.text) if parts.text else ""

    def _take_usage(self, place: dict[str, Any]) -> None:
        """Kimi puts the usage beside the choice, Groq into its own object. It stays if a
        later one is empty."""
        own = place.get("x_groq")
        usage = place.get("usage") or (own.get("usage") if isinstance(own, dict) else None)
        if usage is not None:
            self.recognised = True
            if any(read_usage(usage, spoke=True)) or not self._usage:
                self._usage = usage

"""Makes servers' JSON and text valid Unicode: they send halves of emojis and stray bytes."""

import json
import re
from typing import Any

import orjson

_HALVES = re.compile("[\ud800-\udfff]")
_FIRST_HALF = re.compile("[\ud800-\udbff]\\Z")
REPLACEMENT = "\ufffd"


def load_json(data: bytes) -> Any:
    """The JSON value; strings may hold lone halves (see `whole`). Raises ValueError.

    orjson refuses half an emoji (`\\ud83d` alone), bytes that are not UTF-8, and line breaks in
    strings. Servers send all three when they cut a text into tokens.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return json.loads(data.decode("utf-8-sig", "replace"), strict=False)
        except RecursionError as error:
            raise ValueError("the JSON is nested too deep") from error


def text_of(value: object) -> str:
    """The value if it is text; otherwise nothing."""
    return value if isinstance(value, str) else ""


def whole(text: str) -> str:
    """Two halves become their character; a lone half becomes U+FFFD."""
    if text.isascii() or not _HALVES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Pieces:
    """Joins pieces of a streamed text. Half a character waits for the piece with the other half."""

    __slots__ = ("_held", "_parts", "chars")

    def __init__(self) -> None:
        self._held = ""
        self._parts: list[str] = []
        self.chars = 0

    def add(self, piece: str) -> str:
        """What is readable now."""
        if not self._held and piece.isascii():
            return self._keep(piece)
        piece = self._held + piece
        self._held = piece[-1:] if _FIRST_HALF.search(piece) else ""
        if self._held:
            piece = piece[:-1]
        return self._keep(whole(piece))

    def end(self) -> str:
        """The text that still waited when the stream ended."""
        held, self._held = self._held, ""
        return self._keep(REPLACEMENT if held else "")

    def text(self) -> str:
        return "".join(self._parts)

    def _keep(self, piece: str) -> str:
        if piece:
            self._parts.append(piece)
            self.chars += len(piece)
        return piece

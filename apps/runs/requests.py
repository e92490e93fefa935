"""What a user asks for, checked as far as the database is not needed."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

import orjson
from pydantic import Field

from apps.common.errors import FieldError
from workers.core.specs import QUERY_MAX_CHARS, Budget, Spec

METHOD_CONFIG_MAX_BYTES = 64 * 1024
METHOD_CONFIG_MAX_DEPTH = 32


class RunRequest(Spec):
    """The body of `POST /api/runs`. None means: the studio's default."""

    query: str
    method: str
    reference: str | None = None
    method_config: dict[str, Any] = Field(default_factory=dict)
    endpoint: str | None = None
    pool: str | None = None
    seed: int | None = None
    budget: Budget = Budget()
    checkpoint: str | None = None


def text_errors(request: RunRequest) -> tuple[FieldError, ...]:
    """What is wrong with the texts of a request: empty, too long, or not text at all."""
    errors = []
    if not request.query.strip():
        errors.append(FieldError("query", "empty", "The query is empty."))
    for name, text in (("query", request.query), ("reference", request.reference or "")):
        if len(text) > QUERY_MAX_CHARS:
            message = f"At most {QUERY_MAX_CHARS:,} characters; this one has {len(text):,}."
            errors.append(FieldError(name, "too_long", message))
        elif not is_text(text):
            errors.append(FieldError(name, "not_text", NOT_TEXT))
    return (*errors, *_config_errors(request.method_config))


NOT_TEXT = "This is not text: it holds control characters, NUL bytes or broken Unicode."


def is_text(text: str) -> bool:
    """Whether Postgres, JSON and a model can all carry it: no control character but \\t \\n \\r,
    no lone surrogate."""
    if text.isprintable():
        return True
    return all(
        unicodedata.category(character) not in {"Cc", "Cs"} or character in "\t\n\r"
        for character in set(text)
    )


def _config_errors(config: dict[str, Any]) -> tuple[FieldError, ...]:
    if not _shallow(config):
        message = f"At most {METHOD_CONFIG_MAX_DEPTH} levels deep."
        return (FieldError("method_config", "too_deep", message),)
    if not all(_storable(value) for value in _leaves(config)):
        return (FieldError("method_config", "not_text", NOT_TEXT),)
    if len(orjson.dumps(config)) > METHOD_CONFIG_MAX_BYTES:
        message = f"At most {METHOD_CONFIG_MAX_BYTES // 1024} KiB."
        return (FieldError("method_config", "too_long", message),)
    return ()


def _storable(value: Any) -> bool:
    if isinstance(value, str):
        return is_text(value)
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) < 2**53


def _shallow(config: dict[str, Any]) -> bool:
    """Looked at level by level, without recursion: the depth is the sender's choice."""
    level: list[Any] = [config]
    for _ in range(METHOD_CONFIG_MAX_DEPTH):
        below = [_children(value) for value in level if isinstance(value, dict | list)]
        level = [child for children in below for child in children]
    return not level


def _children(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _leaves(value: Any) -> Iterator[Any]:
    """Keys and values of nested JSON."""
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for child in _children(value):
            yield from _leaves(child)
    else:
        yield value

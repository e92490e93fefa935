"""Learns what a server does not accept, from the errors that name it.

    400  Unsupported value: 'temperature' does not support 0 with this model.
    422  {"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], …}]}
    400  Unexpected role 'user' after role 'tool'

A lesson is tried at once. It is kept for the endpoint only if the server then answers: an error
that only quotes the request teaches nothing.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import replace

from workers.core.llm.reported import Said
from workers.core.llm.request import Dialect, request_body
from workers.core.llm.types import ChatRequest

_LOGGER = logging.getLogger(__name__)
_FIELD_STATUSES = frozenset({0, 400, 422})
"""0: an error without a status in a reply that began with 200."""

_FIELDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("stream_options", r"stream[_ ]?options|include_usage"),
        ("response_format", r"response[_ ]?format|json_?schema|structured[_ ]outputs?"),
        ("seed", r"\bseed\b"),
        ("tool_choice", r"tool[_ ]?choice"),
        ("stream", r"[`'\"]stream[`'\"]|\bstreaming\b.{0,30}\b(not|un\w+)\b"),
    )
)
"""What a request can omit, and how errors name it. Token limit and tools stay."""

_TEMPERATURE = re.compile(r"\btemperature\b", re.IGNORECASE)
_NOT_TAKEN = re.compile(
    r"not (support|permit|allow|recogni[sz]e|accept)|unsupported|unrecogni[sz]ed|unknown|unexpected"
    r"|extra|forbidden|deprecated",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\bmax_tokens\b")
_ALTERNATE = r"roles? must alternate|must alternate between|consecutive (user|messages|roles)"
_HISTORY: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE | re.DOTALL))
    for name, pattern in (
        (
            "tools",
            r"`?tools=|toolconfig|tool (calling|calls?|use)\b.{0,60}without.{0,20}tools"
            r"|tool_(use|result)\b.{0,40}must define tools",
        ),
        ("reasoning", r"reasoning_content|(thinking|reasoning)\b.{0,60}\b(passed|sent) back"),
        (
            "system",
            r"\bsystem['\"`]? (role|prompt|message|instruction)s?\b.{0,40}(\bnot\b|n't|\bun\w+)"
            r"|(\bnot|n't)\s+(support|allow|permit|accept)\w*\W{1,3}(the |a )?['\"`]?system\b"
            r"|(unsupported|invalid|unknown|unexpected)\W{0,3}(message )?role\W{0,4}system\b"
            r"|\brole\W{1,4}system\b.{0,40}(\bnot\b|n't|\bun\w+)"
            r"|\brole must be one of(?!.*\bsystem\b)"
            r"|unsupported.{0,20}['\"`]system\b"
            r"|developer instruction is not enabled|messages?\W{0,3}0\W{0,3}role"
            r"|only ['\"`]?user['\"`]?,? (and|or) ['\"`]?(assistant|model)"
            r"|should be ['\"`]user['\"`].{0,20}assistant",
        ),
        ("alternate", rf"{_ALTERNATE}|unexpected role.{{0,12}}user.{{0,20}}after"),
        ("system", _ALTERNATE),
    )
)
"""Histories that a server refuses, and how `request` then changes each."""


def learned(
    known: Dialect, said: Said, status: int, *, request: ChatRequest, stream: bool
) -> Dialect | None:
    """What to try next after this error. None if it names nothing that can be omitted or changed.

    `status` is the error's (`Said.status`). Each lesson changes the request, so this ends.
    """
    if said.speaks_of_context():
        return None
    sent = request_body("", request, stream=stream, dialect=known)
    for lesson in _lessons(known, said, status, request):
        if request_body("", request, stream=stream, dialect=lesson) != sent:
            return lesson
    return None


def kept(endpoint: str, known: Dialect, lesson: Dialect) -> Dialect:
    """What this call learned, joined with what other calls have learned since."""
    renamed = lesson.max_tokens_field != Dialect().max_tokens_field
    merged = Dialect(
        known.without | lesson.without,
        known.refused_temperatures | lesson.refused_temperatures,
        known.history | lesson.history,
        lesson.max_tokens_field if renamed else known.max_tokens_field,
    )
    if merged != known:
        _LOGGER.warning("Requests to the endpoint %s are adapted from now on: %s", endpoint, merged)
    return merged


def _lessons(known: Dialect, said: Said, status: int, request: ChatRequest) -> Iterator[Dialect]:
    named = " ".join(f"'{name}'" for name in sorted(said.fields))
    text = f"{said.code} {said.message} {named}"
    refused = status or said.fields or _NOT_TAKEN.search(text)  # a crash may also name a field
    if status in _FIELD_STATUSES and refused:
        if "max_completion_tokens" in text or (_LIMIT.search(text) and _NOT_TAKEN.search(text)):
            yield replace(known, max_tokens_field="max_completion_tokens")
        for name, pattern in _FIELDS:
            if pattern.search(text):
                yield replace(known, without=known.without | {name})
        if _TEMPERATURE.search(text):
            yield _without_temperature(known, request.temperature)
    # A chat template that refuses a history is a status 500 on some servers.
    if status in _FIELD_STATUSES or status >= 500:
        for name, pattern in _HISTORY:
            if pattern.search(text):
                yield replace(known, history=known.history | {name})


def _without_temperature(known: Dialect, temperature: float) -> Dialect:
    """Some servers refuse only 0. If a server refuses a second value, no temperature is sent."""
    refused = known.refused_temperatures | {temperature}
    if len(refused) > 1:
        return replace(known, without=known.without | {"temperature"})
    return replace(known, refused_temperatures=refused)

"""What a user asks for, checked as far as the database is not needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

import orjson
from django.utils.translation import gettext as _
from pydantic import Field

from apps.common.errors import FieldError
from apps.common.texts import NOT_TEXT, is_storable, is_text
from workers.core.specs import QUERY_MAX_CHARS, AgentId, Budget, Spec

MAX_REPLY_TOKENS = 100_000
METHOD_CONFIG_MAX_BYTES = 64 * 1024
METHOD_CONFIG_MAX_DEPTH = 32


class RunRequest(Spec):
    """The body of `POST /api/runs`. None means: the studio's default.

    `verifier` judges by the `reference`; `judged_as` is a run whose reference and verifier, with
    all that it needs, judge this one, too; `task` is a dataset's task that this is, with all that
    the dataset knows of it."""

    query: str
    method: str
    reference: str | None = None
    verifier: str | None = None
    judged_as: UUID | None = None
    task: int | None = None
    method_config: dict[str, Any] = Field(default_factory=dict)
    endpoint: str | None = None
    pool: str | None = None
    seed: int | None = None
    budget: Budget = Budget()
    checkpoint: str | None = None
    design: UUID | None = None
    design_version: int | None = None
    breakpoints: tuple[AgentId, ...] = ()
    step: bool = False


class ForkRequest(Spec):
    """The body of `POST /api/runs/{id}/fork`: what other messages agents are to have left.

    `breakpoints` None: those of the run that it goes on from.
    """

    messages: dict[AgentId, str] = Field(default_factory=dict)
    breakpoints: tuple[AgentId, ...] | None = None
    step: bool = False


def text_errors(request: RunRequest) -> tuple[FieldError, ...]:
    """What is wrong with the texts of a request: empty, too long, or not text at all."""
    errors = []
    if not request.query.strip():
        errors.append(FieldError("query", "empty", _("The query is empty.")))
    for name, text in (("query", request.query), ("reference", request.reference or "")):
        if len(text) > QUERY_MAX_CHARS:
            message = _("At most %(at_most)s characters; this one has %(length)s.") % {
                "at_most": f"{QUERY_MAX_CHARS:,}",
                "length": f"{len(text):,}",
            }
            errors.append(FieldError(name, "too_long", message))
        elif not is_text(text):
            errors.append(FieldError(name, "not_text", str(NOT_TEXT)))
    return (*errors, *_config_errors(request.method_config))


def _config_errors(config: dict[str, Any]) -> tuple[FieldError, ...]:
    if not _shallow(config):
        message = _("At most %(at_most)s levels deep.") % {"at_most": METHOD_CONFIG_MAX_DEPTH}
        return (FieldError("method_config", "too_deep", message),)
    if not is_storable(config):
        return (FieldError("method_config", "not_text", str(NOT_TEXT)),)
    if len(orjson.dumps(config)) > METHOD_CONFIG_MAX_BYTES:
        message = _("At most %(kib)s KiB.") % {"kib": METHOD_CONFIG_MAX_BYTES // 1024}
        return (FieldError("method_config", "too_long", message),)
    return ()


def _shallow(config: dict[str, Any]) -> bool:
    """Looked at level by level, without recursion: the depth is the sender's choice."""
    level: list[Any] = [config]
    for _level in range(METHOD_CONFIG_MAX_DEPTH):
        below = [_children(value) for value in level if isinstance(value, dict | list)]
        level = [child for children in below for child in children]
    return not level


def _children(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value

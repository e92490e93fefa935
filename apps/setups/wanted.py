"""The set-up that a request asks for, checked as far as the database is not needed."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

import orjson
from django.utils.translation import gettext as _
from pydantic import Field

from apps.common.errors import FieldError
from apps.common.texts import NOT_TEXT, is_storable
from workers.core.methods.registry import DEFAULT_METHOD
from workers.core.specs import Spec

MAX_REPLY_TOKENS = 100_000
METHOD_CONFIG_MAX_BYTES = 64 * 1024
METHOD_CONFIG_MAX_DEPTH = 32


UNTRAINED = "untrained"
"""In the place of a checkpoint: the method as it is before any training."""


class SetUpWanted(Spec):
    """A method, its config, its endpoint and pool, and the checkpoint or the design. None: the
    studio's default. `checkpoint` may be `UNTRAINED`. `seed` None: a random seed."""

    method: str = DEFAULT_METHOD
    method_config: dict[str, Any] = Field(default_factory=dict)
    endpoint: str | None = None
    pool: str | None = None
    seed: int | None = None
    checkpoint: str | None = None
    design: UUID | None = None
    design_version: int | None = None


def config_errors(config: dict[str, Any]) -> tuple[FieldError, ...]:
    """Errors of a config that is too deep, too large or not text."""
    if not _shallow(config):
        message = _("Use at most %(at_most)s levels of nesting.") % {
            "at_most": METHOD_CONFIG_MAX_DEPTH
        }
        return (FieldError("method_config", "too_deep", message),)
    if not is_storable(config):
        return (FieldError("method_config", "not_text", str(NOT_TEXT)),)
    if len(orjson.dumps(config)) > METHOD_CONFIG_MAX_BYTES:
        message = _("Use at most %(kib)s KiB.") % {"kib": METHOD_CONFIG_MAX_BYTES // 1024}
        return (FieldError("method_config", "too_long", message),)
    return ()


def _shallow(config: dict[str, Any]) -> bool:
    """Checks level by level, without recursion, because the sender chooses the depth."""
    level: list[Any] = [config]
    for _level in range(METHOD_CONFIG_MAX_DEPTH):
        below = [_children(value) for value in level if isinstance(value, dict | list)]
        level = [child for children in below for child in children]
    return not level


def _children(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value

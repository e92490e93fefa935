"""Options that several commands read in the same way."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandError


def read_object(text: str, option: str, example: str) -> dict[str, Any]:
    """A JSON object given as `option`."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise CommandError(f"{option} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise CommandError(f"{option} must be a JSON object, such as {example}.")
    return value


def read_setting(text: str) -> tuple[str, Any]:
    """`KEY=VALUE`; VALUE is JSON, or else text."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise CommandError(f"--set needs KEY=VALUE, not {text!r}.")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value

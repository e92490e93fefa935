"""Text that Postgres, JSON and a model can all carry."""

import math
import unicodedata
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

NOT_TEXT = _("This text contains control characters, NUL bytes or broken Unicode. Remove them.")


def is_text(text: str) -> bool:
    """No control character but \\t \\n \\r, and no lone surrogate."""
    if text.isprintable():
        return True
    return all(
        unicodedata.category(character) not in {"Cc", "Cs"} or character in "\t\n\r"
        for character in set(text)
    )


def within_sentence(label: str) -> str:
    """A label, such as a status, as it is written in the middle of a sentence."""
    return label[:1].lower() + label[1:]


def is_storable(value: Any) -> bool:
    """Whether all keys and values of nested JSON are text, finite, and exact as a double."""
    return all(_leaf_is_storable(leaf) for leaf in _leaves(value))


def _leaf_is_storable(value: Any) -> bool:
    if isinstance(value, str):
        return is_text(value)
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) < 2**53


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _leaves(child)
    else:
        yield value

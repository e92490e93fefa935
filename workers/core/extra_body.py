"""Fields that an endpoint adds to each request, such as `top_p` or `chat_template_kwargs`.

What the studio itself sends is no such field: a run's budget, seed and tools decide on it.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator

MOST_CHARS = 4_000
MOST_DEPTH = 8
SENT: frozenset[str] = frozenset(
    {
        *("model", "messages", "temperature", "max_tokens", "max_completion_tokens", "seed"),
        *("stop", "tools", "tool_choice", "functions", "function_call", "response_format"),
        *("stream", "stream_options", "n", "best_of", "prompt", "max_new_tokens"),
        *("max_output_tokens", "n_predict", "num_predict"),
    }
)
"""What the studio sends itself, other names for it, and what changes how many answers come."""


def checked_extra_body(fields: dict[str, Any]) -> dict[str, Any]:
    """Raises ValueError with the field's name and a way out."""
    for name in fields:
        if not name.strip() or name != name.strip():
            raise ValueError(f"“{name}” is no name of a field. Write it without spaces around it.")
        if name in SENT:
            raise ValueError(
                f"The studio sends “{name}” itself. Remove it here, and set it in the run."
            )
    if sum(len(text) for text in _texts(fields, 1)) > MOST_CHARS:
        raise ValueError(f"These fields are too long: at most {MOST_CHARS:,} characters.")
    return fields


def _texts(value: object, depth: int) -> Iterator[str]:
    if depth > MOST_DEPTH:
        raise ValueError(f"These fields are nested too deep: at most {MOST_DEPTH} levels.")
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if not isinstance(name, str):
                raise ValueError("Names of fields are texts.")  # noqa: TRY004  pydantic's rule
            yield _storable(name)
            yield from _texts(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield ","
            yield from _texts(inner, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("NaN and Infinity are no JSON. Write a number.")
    elif isinstance(value, str | int | float | None):
        yield _storable(str(value))
    else:
        raise ValueError(f"{type(value).__name__} is no JSON.")


def _storable(text: str) -> str:
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("A text here has a character that can't be sent. Remove it.")
    return text


ExtraBody: TypeAlias = Annotated[dict[str, Any], AfterValidator(checked_extra_body)]

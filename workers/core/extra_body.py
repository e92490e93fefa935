"""Fields that an endpoint adds to each request, such as `top_p` or `chat_template_kwargs`.

They are checked as they are written. What is stored stays readable when the rules change.
"""

import math
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

MOST_CHARS = 4_000
MOST_DEPTH = 8
MOST_NUMBER = 2**53 - 1
"""Pages, Postgres and the client write larger ones in different ways."""
SENT: frozenset[str] = frozenset(
    {
        *("model", "messages", "temperature", "max_tokens", "max_completion_tokens", "seed"),
        *("stop", "tools", "tool_choice", "functions", "function_call", "response_format"),
        *("stream", "stream_options", "n", "n_cmpl", "best_of", "prompt", "max_new_tokens"),
        *("max_output_tokens", "min_tokens", "n_predict", "num_predict"),
    }
)
"""What the studio sends itself, other names for it, and what changes how many answers come."""
ELSEWHERE: frozenset[str] = frozenset(
    {
        *("models", "fallbacks", "extra_body", "extra_headers", "extra_query", "api_base"),
        *("base_url", "api_key", "api_version", "custom_llm_provider", "kv_transfer_params"),
        *("bootstrap_host", "bootstrap_port", "bootstrap_room", "lora_path"),
        "custom_logit_processor",
    }
)
"""What makes some servers ask another model or address, or run a program."""


def checked_extra_body(fields: Mapping[str, Any]) -> None:
    """Raises ValueError with the field's name and a way out."""
    for name in fields:
        if not name.strip() or name != name.strip():
            raise ValueError(f"“{name}” is no name of a field. Write it without spaces around it.")
        read = unicodedata.normalize("NFKC", name).casefold()  # as lenient servers read it
        if read in SENT:
            raise ValueError(f"The studio sends “{name}” itself. Remove it here.")
        if read in ELSEWHERE:
            raise ValueError(
                f"With “{name}”, some servers ask another model or address than the endpoint's. "
                "Remove it, and add an endpoint for that one."
            )
    if sum(len(text) for text in _texts(fields, 1)) > MOST_CHARS:
        raise ValueError(f"These fields are too long. Use at most {MOST_CHARS:,} characters.")


def spelled(fields: Mapping[str, Any]) -> bytes:
    """Equal for what servers can't tell apart. In Python 1, 1.0 and True are equal, in JSON not."""
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)


def _texts(value: object, depth: int) -> Iterator[str]:
    if depth > MOST_DEPTH:
        raise ValueError(f"These fields are nested too deep. Use at most {MOST_DEPTH} levels.")
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield _sendable(str(name))
            yield from _texts(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield ","
            yield from _texts(inner, depth + 1)
    elif isinstance(value, int | float) and not abs(value) <= MOST_NUMBER:
        what = "no number" if isinstance(value, float) and math.isnan(value) else "too large"
        raise ValueError(f"{value} is {what} here. Use numbers up to {MOST_NUMBER}.")
    else:
        yield _sendable(str(value))


def _sendable(text: str) -> str:
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("A text here has a character that can't be sent. Remove it.")
    return text

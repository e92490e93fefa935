"""Makes JSON that Postgres accepts. Models may write NUL characters and halves of Unicode pairs.
They are valid in Python and in JSON, but JSONB refuses them. They become U+FFFD."""

import re
from dataclasses import asdict, is_dataclass
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

REFUSED = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def encode(event: BaseModel) -> bytes:
    """The event as JSON; the usual case costs one serialisation and one search."""
    try:
        body = event.model_dump_json().encode()
    except PydanticSerializationError:
        body = b"\\u0000"
    if b"\\u0000" in body:
        return orjson.dumps(clean(event.model_dump(mode="python")))
    return body


def dump(value: Any) -> bytes:
    """JSON of dicts, lists and dataclasses, cleaned if needed."""
    try:
        body = orjson.dumps(value)
    except TypeError:
        body = b"\\u0000"
    return orjson.dumps(clean(value)) if b"\\u0000" in body else body


def clean(value: Any) -> Any:
    """The same value with every string, also keys, as Postgres accepts it."""
    if isinstance(value, str):
        return REFUSED.sub(REPLACEMENT, value)
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return clean(asdict(value))
    return value

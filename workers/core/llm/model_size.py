"""Reads how large a model is from its server's list of models.

llama.cpp has `meta.n_params`, a number; Ollama has `details.parameter_size`, such as “494.03M”.
Others use one of these names beside the model's id. vLLM and OpenAI do not say.
"""

import re
from collections.abc import Iterator
from typing import Any

from workers.core.llm.wire import Garbage, decode
from workers.core.net.outbound import Fetched

NAMES = ("n_params", "parameter_count", "num_parameters", "parameters", "parameter_size")
PLACES = ("meta", "details", "metadata")
MOST = 10**15
Row = dict[str, Any]
_SPELLED = re.compile(r"\s{0,8}(\d{1,6}(?:\.\d{1,6})?)\s{0,8}([KMBT])\s{0,8}", re.IGNORECASE)
_UNITS = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}


def read_parameters(fetched: Fetched, model: str) -> int | None:
    """Number of parameters of `model` in a list of models. None if the list does not say."""
    rows = _rows(read_listing(fetched), model)
    return next((size for row in rows for size in _sizes(row)), None)


def read_listing(fetched: Fetched) -> Row:
    """The answer's JSON object; empty if it has none."""
    try:
        return decode(fetched.body) if fetched.status == 200 else {}
    except Garbage:
        return {}


def _rows(data: Row, model: str) -> Iterator[Row]:
    names = {model, f"{model}:latest"}
    for listed in (data.get("data"), data.get("models")):
        rows = listed if isinstance(listed, list) else []
        for row in (row for row in rows if isinstance(row, dict)):
            told = (row.get(name) for name in ("id", "name", "model"))
            if any(isinstance(name, str) and name in names for name in told):
                yield row


def _sizes(row: Row) -> Iterator[int]:
    for place in (row, *(row.get(name) for name in PLACES)):
        if isinstance(place, dict):
            found = (_size(place.get(name)) for name in NAMES)
            yield from (size for size in found if size is not None)


def _size(value: object) -> int | None:
    if isinstance(value, str) and (spelled := _SPELLED.fullmatch(value)):
        value = round(float(spelled[1]) * _UNITS[spelled[2].lower()])
    return value if type(value) is int and 0 < value <= MOST else None

"""Prices and limits that nobody means, told before anything is paid or waits for ever."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from apps.common.errors import FieldError

LEAST_PRICE = 0.001
"""USD per million tokens. The cheapest models cost ten times that; what is less is per token."""
MOST_CALLS = 4_096
MOST_SECONDS = 86_400


def implausible(values: Mapping[str, Any]) -> list[FieldError]:
    """Of an endpoint's fields; what is not in `values` is not asked."""
    found = [
        FieldError(
            name,
            "price_per_token",
            f"{values[name]:g} USD per million tokens would be next to nothing. If that is the "
            f"price of one token, enter {values[name] * 1_000_000:g}; 0 means that it is free.",
        )
        for name in ("prompt_price", "completion_price")
        if 0 < (values.get(name) or 0) < LEAST_PRICE
    ]
    calls, seconds = values.get("max_concurrency", 1), values.get("timeout_seconds", 1.0)
    if calls > MOST_CALLS:
        message = f"At most {MOST_CALLS:,} calls at once."
        found.append(FieldError("max_concurrency", "out_of_range", message))
    if not math.isfinite(seconds) or seconds > MOST_SECONDS:
        message = f"At most {MOST_SECONDS:,} seconds, a day."
        found.append(FieldError("timeout_seconds", "out_of_range", message))
    return found

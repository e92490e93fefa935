"""Prices and limits that nobody means, told before anything is paid or waits for ever."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from apps.common.errors import FieldError

LEAST_PRICE = 0.001
"""USD per million tokens. The cheapest models cost ten times that; what is less is per token."""
LEAST_PARAMETERS = 100_000
"""Who enters less counts in billions or millions."""
MOST_PARAMETERS = 10**15
MOST_CALLS = 4_096
MOST_SECONDS = 86_400


def implausible(values: Mapping[str, Any]) -> list[FieldError]:
    """Of an endpoint's fields; what is not in `values` is not asked."""
    found = [
        FieldError(
            name,
            "price_per_token",
            _(
                "%(price)s USD per million tokens would be next to nothing. If that is the price "
                "of one token, enter %(per_million)s; 0 means that it is free."
            )
            % {"price": f"{values[name]:g}", "per_million": f"{values[name] * 1000000:g}"},
        )
        for name in ("prompt_price", "completion_price")
        if 0 < (values.get(name) or 0) < LEAST_PRICE
    ]
    parameters = values.get("parameters")
    if parameters is not None and not LEAST_PARAMETERS <= parameters <= MOST_PARAMETERS:
        message = _(
            "Enter all parameters of the model, such as 500000000 for 0.5 billion: "
            "%(least)s to %(most)s."
        ) % {"least": f"{LEAST_PARAMETERS:,}", "most": f"{MOST_PARAMETERS:,}"}
        found.append(FieldError("parameters", "out_of_range", message))
    calls, seconds = values.get("max_concurrency", 1), values.get("timeout_seconds", 1.0)
    if calls > MOST_CALLS:
        message = _("At most %(at_most)s calls at once.") % {"at_most": f"{MOST_CALLS:,}"}
        found.append(FieldError("max_concurrency", "out_of_range", message))
    if not math.isfinite(seconds) or seconds > MOST_SECONDS:
        message = _("At most %(at_most)s seconds, a day.") % {"at_most": f"{MOST_SECONDS:,}"}
        found.append(FieldError("timeout_seconds", "out_of_range", message))
    return found

"""Finds prices and limits that are surely a mistake, before anything is paid or waits for ever."""

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from apps.common.errors import FieldError
from workers.core.extra_body import checked_extra_body

LEAST_PRICE = 0.001
"""USD per million tokens. The cheapest models cost ten times as much, so a smaller price is meant
per token."""
LEAST_PARAMETERS = 100_000
"""A person who enters less counts in billions or millions."""
MOST_PARAMETERS = 10**15
MOST_CALLS = 4_096
MOST_SECONDS = 86_400


def implausible(values: Mapping[str, Any]) -> list[FieldError]:
    """Checks an endpoint's fields; a field that is not in `values` is not checked."""
    found = [
        FieldError(
            name,
            "price_per_token",
            _(
                "%(price)s USD per million tokens is nearly nothing. If this is the price of one "
                "token, enter %(per_million)s. If the model is free, enter 0."
            )
            % {"price": f"{values[name]:g}", "per_million": f"{values[name] * 1000000:g}"},
        )
        for name in ("prompt_price", "completion_price")
        if 0 < (values.get(name) or 0) < LEAST_PRICE
    ]
    parameters = values.get("parameters")
    if parameters is not None and not LEAST_PARAMETERS <= parameters <= MOST_PARAMETERS:
        message = _(
            "Enter all parameters of the model, such as 500000000 for 0.5 billion. The number "
            "must be from %(least)s to %(most)s."
        ) % {"least": f"{LEAST_PARAMETERS:,}", "most": f"{MOST_PARAMETERS:,}"}
        found.append(FieldError("parameters", "out_of_range", message))
    calls, seconds = values.get("max_concurrency", 1), values.get("timeout_seconds", 1.0)
    if calls > MOST_CALLS:
        message = _("Enter at most %(at_most)s calls at once.") % {"at_most": f"{MOST_CALLS:,}"}
        found.append(FieldError("max_concurrency", "out_of_range", message))
    if not math.isfinite(seconds) or seconds > MOST_SECONDS:
        message = _("Enter at most %(at_most)s seconds, which is a day.") % {
            "at_most": f"{MOST_SECONDS:,}"
        }
        found.append(FieldError("timeout_seconds", "out_of_range", message))
    fields = values.get("extra_body")
    if isinstance(fields, dict):
        try:
            checked_extra_body(fields)
        except ValueError as error:
            found.append(FieldError("extra_body", "not_allowed", str(error)))
    return found

"""Decides whose word counts on the size of an endpoint's model: first a person, then its server,
then its name. A size from the name alone is stored and shown as a guess."""

from collections.abc import Mapping
from typing import Any

from apps.llms.models import Endpoint
from workers.core.mas.small_models import suggested_parameters

SIZE_FIELDS = ("parameters", "parameters_from")


def with_size(values: Mapping[str, Any], *, stored: Endpoint | None) -> dict[str, Any]:
    """`values` of a new endpoint, or of a change of `stored`, with the size that follows from them.

    Another model has another size. An emptied size is guessed again.
    """
    if "parameters_from" in values:
        return dict(values)  # the studio itself knows who told it
    said = values.get("parameters")
    if said is not None:
        return {**values, "parameters": said, "parameters_from": "person"}
    model = values.get("model", stored.model if stored else "")
    asked = stored is None or "parameters" in values or model != stored.model
    return {**values, **guessed_size(model)} if asked else dict(values)


def guessed_size(model: str) -> dict[str, Any]:
    guess = suggested_parameters(model)
    return {"parameters": guess, "parameters_from": "name" if guess else ""}

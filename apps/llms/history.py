"""Who changed what of an endpoint. Each change writes a line in its transaction.

A key is never in it: an endpoint has only the name of the variable that holds the key.
"""

from typing import Any, TypedDict

from apps.accounts.models import User
from apps.llms.models import Endpoint, EndpointChange
from workers.core.extra_body import spelled

Value = str | float | bool | dict[str, Any] | None

FIELDS = (
    *("name", "base_url", "model", "context_length", "prompt_price", "completion_price"),
    *("api_key_env", "max_concurrency", "timeout_seconds", "native_tools", "sees_images"),
    *("parameters", "parameters_from", "extra_body", "allow_private_address", "enabled"),
    "is_default",
)
"""What people choose about an endpoint, in the order of its form."""


class FieldChange(TypedDict):
    name: str
    before: Value
    after: Value


def state_of(endpoint: Endpoint) -> dict[str, Value]:
    return {name: getattr(endpoint, name) for name in FIELDS}


def changes_between(before: dict[str, Value], after: dict[str, Value]) -> list[FieldChange]:
    """An empty state means an endpoint that does not exist."""
    values = ((name, before.get(name), after.get(name)) for name in FIELDS)
    return [
        FieldChange(name=name, before=old, after=new)
        for name, old, new in values
        if _differ(old, new)
    ]


def _differ(old: Value, new: Value) -> bool:
    if isinstance(old, dict) and isinstance(new, dict):
        return spelled(old) != spelled(new)
    return old != new


def change_record(
    endpoint: Endpoint, kind: EndpointChange.Kind, *, by: User | None, before: dict[str, Value]
) -> None:
    """Call it in the transaction of the change. A change that changed nothing makes no line."""
    after = {} if kind == EndpointChange.Kind.DELETED else state_of(endpoint)
    if fields := changes_between(before, after):
        EndpointChange.objects.create(
            endpoint=endpoint, endpoint_key=endpoint.key, kind=kind, fields=fields, changed_by=by
        )

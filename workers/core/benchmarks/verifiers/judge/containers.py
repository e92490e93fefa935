"""Finds what a call may change: the containers among its arguments, and whether they changed."""

import collections
import operator
from collections.abc import Iterable
from typing import Any

PLAIN = {type(None), bool, str, float}
"""Types whose values are already JSON and contain no others."""


def containers(values: Iterable[Any]) -> list[Any]:
    """All containers within values that can be changed in place, in an order that both sides
    share."""
    found, rest = [], list(values)
    while rest:
        value = rest.pop()
        if isinstance(value, list | dict | set | collections.deque):
            found.append(value)
        if isinstance(value, dict):
            rest.extend(value.values())
        elif isinstance(value, list | tuple | collections.deque):
            rest.extend(item for item in value if type(item) not in PLAIN and type(item) is not int)
    return found


def held(container: Any) -> list[Any]:
    """The contents of a container, to check later whether it has the same objects."""
    if isinstance(container, dict):
        return [*container.keys(), *container.values()]
    return list(container)


def is_changed(container: Any, before: list[Any]) -> bool:
    now = held(container)
    return len(now) != len(before) or any(map(operator.is_not, now, before))

"""What strangers see of an event: the shape of what passes, and what is rewritten on the way.

Nobody who works in the studio is named, nothing leads to anything else, and of what failed the kind
alone is told, since the whole sentence may hold an address or what a provider answered.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Shape: TypeAlias = "Mapping[str, Shape] | Callable[[Any], Any]"
"""Of a value in JSON: the names that pass, or what is made of the whole. Lists are of one shape."""
Shown: TypeAlias = Mapping[str, Shape]

HARMLESS = frozenset({"budget_exceeded", "no_input"})
"""Codes of failures whose sentences hold numbers and names of agents, and nothing else."""


def whole(*names: str) -> dict[str, Shape]:
    return dict.fromkeys(names, lambda value: value)


USAGE = whole("prompt_tokens", "completion_tokens", "cost")
USED: dict[str, Shape] = {"usage": USAGE, **whole("seconds")}
GRAPH: dict[str, Shape] = {
    # A role's prompt is shown where it was sent.
    "nodes": {"role": whole("key", "name", "family"), **whole("id", "endpoint", "round")},
    "edges": whole("source", "target"),
}


def nobody(value: Any) -> str:
    return ""


def kind_alone(failure: dict[str, Any] | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    code = str(failure["code"])
    if code in HARMLESS:
        return {name: failure.get(name, "") for name in ("code", "message", "remedy")}
    kind = code.replace("_", " ")
    return {"code": code, "message": f"It failed: {kind}.", "remedy": ""}


def codes(tries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a server answered may name it."""
    return [{"code": each["code"], "message": ""} for each in tries]

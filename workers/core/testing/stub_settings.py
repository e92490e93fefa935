"""How the stub LLM behaves: latency, scripted replies and faults, as data that travels as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

SEED = "{seed}"

FaultKind = Literal[
    "401",
    "403",
    "404",
    "400-context",
    "400-stream-options",
    "429",
    "429-quota",
    "500",
    "html",
    "invalid-json",
    "wrong-shape",
    "half-stream",
    "endless",
    "hang",
    "hang-mid-stream",
    "disconnect",
    "empty",
    "redirect",
    "error-event",
    "echo-key",
    "huge",
    "raw",
]

End = Literal["end", "cut", "hang"]


@dataclass(frozen=True, slots=True)
class Raw:
    """A reply byte by byte. A character of `chunks` is a byte (Latin-1): so it travels as JSON.

    The chunks leave `pause` seconds apart; then the reply ends, the connection is cut, or nothing
    more comes. `content_type` None sends none. `{field}` is what the fault objects to.
    """

    chunks: tuple[str, ...] = ()
    status: int = 200
    content_type: str | None = "text/event-stream"
    headers: tuple[tuple[str, str], ...] = ()
    pause: float = 0.0
    end: End = "end"


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong. `times`: only the first n requests it applies to; None is every one.

    `retry_after` is sent as the Retry-After header of a 429, in seconds. The kind `raw` sends
    `raw`; with `objects_to` only to a request that has one of these: a field (`seed`), a field with
    a value (`temperature=0.0`), or what a name of `stub_raw.REFUSED` stands for.
    """

    kind: FaultKind
    times: int | None = None
    retry_after: float | None = None
    raw: Raw = Raw()
    objects_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """Answers a request whose last user, system or tool message contains `contains`.

    In `reply`, `SEED` stands for the request's seed: so another sample gets another answer.
    `tool_calls` are `(name, JSON arguments)` pairs, sent as native tool calls.
    """

    contains: str
    reply: str | None = None
    tool_calls: tuple[tuple[str, str], ...] = ()
    latency: float | None = None
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class StubSettings:
    """Everything the stub is told at start. Times are in seconds.

    `models` are listed by /v1/models; a request for another one is a 404, unless `models` is
    empty. A model named `fault-KIND` (`fault-500`) always shows that fault; `faults` adds more
    by model name. `api_key`, when set, is demanded. `missing_prefix` serves the API at the root,
    so that a base URL with /v1 is wrong.
    """

    latency: float = 0.0
    chunk_latency: float = 0.0
    chunk_chars: int = 4
    usage: bool = True
    models: tuple[str, ...] = ("stub",)
    rules: tuple[Rule, ...] = ()
    faults: dict[str, Fault] = field(default_factory=dict)
    api_key: str = ""
    missing_prefix: bool = False
    log_limit: int = 5_000

    def faults_by_model(self) -> dict[str, Fault]:
        return {f"fault-{kind}": Fault(kind) for kind in get_args(FaultKind)} | self.faults

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> StubSettings:
        """Reads what `to_json` wrote. Raises TypeError for an unknown field."""
        rules = tuple(_rule(rule) for rule in data.get("rules", ()))
        faults = {model: _fault(fault) for model, fault in data.get("faults", {}).items()}
        models = tuple(data.get("models", ("stub",)))
        return StubSettings(**{**data, "rules": rules, "faults": faults, "models": models})


def _rule(data: dict[str, Any]) -> Rule:
    fault = data.get("fault")
    calls = tuple((name, arguments) for name, arguments in data.get("tool_calls", ()))
    return Rule(**{**data, "fault": _fault(fault) if fault else None, "tool_calls": calls})


def _fault(data: dict[str, Any]) -> Fault:
    raw = dict(data.get("raw", {}))
    raw["chunks"] = tuple(raw.get("chunks", ()))
    raw["headers"] = tuple((name, value) for name, value in raw.get("headers", ()))
    return Fault(**{**data, "raw": Raw(**raw), "objects_to": tuple(data.get("objects_to", ()))})

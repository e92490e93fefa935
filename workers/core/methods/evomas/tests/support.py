"""Scripted planners, evaluators and agents, told apart by what they are asked."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from workers.core.events import Event, StageEnded
from workers.core.llm.types import ChatRequest
from workers.core.mas.tests.support import Script, ScriptedClient, collect, context
from workers.core.methods.evomas.agents import EVALUATOR_ROLE, SINGLE_ROLE
from workers.core.methods.evomas.method import EvoMas
from workers.core.methods.tests.support import HashEmbedder
from workers.core.pools import load_builtin_pool
from workers.core.specs import TaskSpec

E = TypeVar("E", bound=Event)
Say = str | Callable[[ChatRequest], Any]

QUERY = "Which river is longer, the Elbe or the Loire?"
TASK = TaskSpec(query=QUERY, reference="Elbe", verifier="exact")
PLAN = """\
1. [TODO] Find the length of the Elbe.
2. [TODO] Find the length of the Loire.
3. [TODO] Compare both."""
SUCCESS = "Feedback: the length is there.\nConfidence: 0.8\nAnswer: success"
REFINE = "Feedback: the unit is missing.\nConfidence: 0.6\nAnswer: refine"
PLANNERS = ("subtasks that it takes", "You keep the plan", "short numbered list of the steps")
ROLES = {role.key: role for role in (*load_builtin_pool("evomas").roles, SINGLE_ROLE)}


def who(request: ChatRequest) -> str:
    """planner, evaluator, final, or the key of a role."""
    text = "\n".join(message.content for message in request.messages)
    if any(said in text for said in PLANNERS):
        return "planner"
    if EVALUATOR_ROLE.prompt.split("\n", 1)[0] in text:
        return "evaluator"
    if "You give the final answer" in text:
        return "final"
    return next(key for key, role in ROLES.items() if role.prompt.split("\n", 1)[0] in text)


def plays(**says: Say) -> Script:
    """Answers by who is asked; `agents` for all roles that are not named."""
    defaults: dict[str, Say] = {
        "planner": PLAN,
        "evaluator": SUCCESS,
        "final": "It is the Elbe.\nAnswer: Elbe",
        "agents": "1094 km.\nAnswer: 1094",
    }
    known = {**defaults, **says}

    def script(request: ChatRequest) -> Any:
        said = known.get(who(request), known["agents"])
        return said(request) if callable(said) else said

    return script


async def solved(
    script: Script,
    *,
    task: TaskSpec = TASK,
    config: Mapping[str, Any] | None = None,
    client: ScriptedClient | None = None,
    into: list[Event] | None = None,
    **fields: Any,
) -> list[Event]:
    given = {"embedder": HashEmbedder(), "config": dict(config or {}), **fields}
    asked = context(client or ScriptedClient(script), **given)
    return await collect(EvoMas().solve(task, asked), into)


def of(events: Iterable[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def plain(events: list[Event]) -> list[dict[str, Any]]:
    """Without times."""
    times = {"at", "seconds"}
    return [event.model_dump(mode="json", exclude=times) for event in events]


def stage_ends(events: list[Event]) -> list[int]:
    """How many events there are at the end of each stage."""
    return [at for at, event in enumerate(events, 1) if isinstance(event, StageEnded)]

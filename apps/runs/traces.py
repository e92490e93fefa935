"""What agents said in runs that were right, for trainings to show."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Exists, F, OuterRef, Q

from apps.runs.models import Run, RunEvent
from workers.core.events import EVENTS, Placed
from workers.core.specs import TaskSpec
from workers.core.training.traces import Spoken, Trace

MOST_OF_A_TASK = 8
"""Limit on the method's runs of one task, and on those of others. The latest count."""
TASKS_AT_ONCE = 200
PLACED = tuple(kind for kind, each in EVENTS.items() if issubclass(each, Placed))


def right_traces(
    method: str,
    tasks: Sequence[TaskSpec],
    options: Mapping[str, Any] | None = None,
    *,
    single: bool = False,
) -> Iterator[Trace]:
    """Of the method's runs on these tasks, those that were right. A run with a reply that stopped
    at its limit is left out: it would teach to say half of it. `options`: of the method, which a
    run must have had. `single`: also other methods' runs in which one agent gave the only reply,
    without tools."""
    had = {f"method_config__{name}": value for name, value in (options or {}).items()}
    shown = Q(method=method, **had)
    if single:
        tools = RunEvent.objects.filter(run=OuterRef("pk"), kind="tool_called")
        shown |= Q(~Exists(tools), agent_count=1, replies=1) & ~Q(method=method)
    for first in range(0, len(tasks), TASKS_AT_ONCE):
        some = tasks[first : first + TASKS_AT_ONCE]
        right = Run.objects.filter(
            shown,
            status=Run.Status.SUCCEEDED,
            correct=True,
            query__in={task.query for task in some},
        ).exclude(cut_replies__gt=0)
        asked = {(task.query, task.reference) for task in some}
        chosen: list[Run] = []
        counted: Counter[tuple[tuple[str, str | None], bool]] = Counter()
        for run in right.only("query", "reference", "method").order_by("-created_at", "-id"):
            task_of, is_own = (run.query, run.reference or None), run.method == method
            counted[task_of, is_own] += 1
            if task_of in asked and counted[task_of, is_own] <= MOST_OF_A_TASK:
                chosen.append(run)
        spoken = _spoken(chosen)
        for run in chosen:
            if said := spoken.get(run.id):
                yield Trace(query=run.query, reference=run.reference or None, spoken=said)


def _spoken(runs: Sequence[Run]) -> dict[object, tuple[Spoken, ...]]:
    """By run, what the agents of its last attempt said, in order."""
    events = RunEvent.objects.filter(
        run__in=runs,
        attempt=F("run__attempt"),
        kind__in=(*PLACED, "agent_started", "agent_finished"),
    )
    roles: dict[tuple[object, str], str] = {}
    places: dict[tuple[object, str], Sequence[int]] = {}
    spoken: dict[object, list[Spoken]] = defaultdict(list)
    for event in events.order_by("run", "seq"):
        told = event.payload
        if event.kind in PLACED:
            places[event.run_id, told["node"]["id"]] = told.get("place", ())
            continue
        who = event.run_id, told["agent_id"]
        if event.kind == "agent_started":
            roles[who] = told["role_key"]
        elif who in roles:
            said = Spoken(
                role=roles[who],
                message=told["message"],
                agent=told["agent_id"],
                place=places.get(who, ()),
            )
            spoken[event.run_id].append(said)
    return {run: tuple(said) for run, said in spoken.items()}

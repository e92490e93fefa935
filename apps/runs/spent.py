"""What lost attempts of a run used. The next attempt has that much less of the run's budget.

A trace has the tokens of agents and planners that ended. What the others used is unknown; the trace
says how many there were.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from apps.runs.control import PAUSED, last_pause
from apps.runs.models import Run, RunEvent
from workers.core.specs import AttemptSpent, ToolSpent

LOST = "attempt_lost"
ENDS = ("agent_finished", "agent_failed")
PLANS = ("plan_rejected", "subtasks_planned")
BEGIN = ("agent_started", "planner_asked")
TAKEN_UP = "run_taken_up"
CALLED = "tool_called"
RETURNED = "tool_returned"
TOKENS = (*BEGIN, *ENDS, *PLANS)


def spent_before(run: Run) -> AttemptSpent:
    """What earlier, lost attempts used. Seconds before a pause do not count: a run that waited for
    a person begins again with all of its seconds."""
    spent = AttemptSpent()
    if run.attempt < 2:
        return spent
    told = run.events.filter(kind__in=(PAUSED, LOST), attempt__lt=run.attempt)
    for kind, payload in told.order_by("attempt", "seq").values_list("kind", "payload"):
        if kind == PAUSED:
            spent = spent.model_copy(update={"seconds": 0.0})
        elif payload.get("spent"):  # traces of older versions have none
            spent += AttemptSpent.model_validate(payload["spent"])
    return spent


def attempt_spent(run: Run) -> AttemptSpent:
    """What the run's current attempt used, from its stored events. What it took over is left out.
    That of a lost attempt is counted there; agents' messages from before a pause or of a fork's
    original are counted by the next attempt, too."""
    events = run.events.filter(attempt=run.attempt).order_by("seq")
    taken_up = events.filter(kind=TAKEN_UP).last()
    if taken_up:
        events = events.filter(seq__gt=taken_up.seq)
    names = ("kind", "payload__agent_id", "payload__usage")
    paused = last_pause(run)
    taken_over = _taken_over(run, paused)
    spent, under_way = AttemptSpent(tools=_tools(events, taken_over)), list[str]()
    for kind, agent_id, usage in events.filter(kind__in=TOKENS).values_list(*names):
        speaker = agent_id or "planner"
        if agent_id in taken_over:
            continue
        if kind in BEGIN:
            under_way.append(speaker)
            continue
        if speaker in under_way:
            under_way.remove(speaker)
        spent += _of_usage(usage or {})
    before = paused.payload["seconds"] if paused else 0.0
    lasted = _lasted(run, since=taken_up.at if taken_up else None)
    seconds, unknown = max(lasted - before, 0.0), spent.unknown + len(under_way)
    return spent.model_copy(update={"seconds": seconds, "unknown": unknown})


def spent_told(spent: AttemptSpent) -> str:
    """One or two sentences for the trace."""
    told = f"It used {spent.tokens} tokens that are known, in {spent.seconds:.1f} s."
    if spent.unknown:
        who = "one more agent" if spent.unknown == 1 else f"{spent.unknown} more agents"
        told += f" What {who} used is unknown."
    return told


def _of_usage(usage: dict[str, Any]) -> AttemptSpent:
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return AttemptSpent(
        tokens=(prompt or 0) + (completion or 0),
        cost=usage.get("cost") or 0.0,
        unknown=int(prompt is None or completion is None),
    )


def _taken_over(run: Run, paused: RunEvent | None) -> set[str]:
    """Agents whose messages come from the attempt that last paused, or from the original run of a
    fork."""
    kept: Iterable[dict[str, Any]] = run.control.get("kept", ())
    ids = {event["agent_id"] for event in kept if event["event"] in ENDS}
    if paused:
        ended = run.events.filter(attempt=paused.attempt, kind__in=ENDS)
        ids.update(ended.values_list("payload__agent_id", flat=True))
    return ids


def _tools(events: QuerySet[RunEvent], taken_over: set[str]) -> dict[str, ToolSpent]:
    """By key. A call that never returned counts, too, without its time."""
    spent: dict[str, ToolSpent] = {}
    names = ("kind", "payload__agent_id", "payload__tool", "payload__seconds", "payload__fetched")
    for kind, agent_id, tool, seconds, fetched in events.filter(
        kind__in=(CALLED, RETURNED)
    ).values_list(*names):
        if agent_id in taken_over:
            continue
        used = ToolSpent(calls=int(kind == CALLED), seconds=seconds or 0.0, fetched=fetched or 0)
        spent[tool] = spent.get(tool, ToolSpent()) + used
    return spent


def _lasted(run: Run, *, since: datetime | None) -> float:
    """Seconds from the attempt's first event, or from `since`, to its last one, or to the worker's
    last sign of life. After a pause they include the working time before it."""
    times = list(
        run.events.filter(attempt=run.attempt).order_by("seq").values_list("at", flat=True)
    )
    if not times:
        return 0.0
    last = max(times[-1], run.heartbeat_at or times[-1])
    return (last - (since or times[0])).total_seconds()

"""A fork: a run that goes on from where another one's message was changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
from rest_framework import status

from apps.accounts.models import User
from apps.common.admission import Asked
from apps.common.errors import ApplicationError, FieldError
from apps.designs.selectors import graph_of_run
from apps.llms.services import endpoint_as_now, endpoints_as_now
from apps.runs.control import agent_events, breakpoint_errors, message_errors
from apps.runs.drawn import DESIGN
from apps.runs.models import Run
from apps.runs.requests import ForkRequest
from apps.runs.services import Creation, run_store
from workers.core.designs.spec import DesignSpec, graph_of
from workers.core.events import AgentFinished
from workers.core.mas.contribution import read_text
from workers.core.specs import AgentId, RunControl, Usage

FORKED = "ask the question anew."
Turn = list[dict[str, Any]]
"""The stored events of one agent, from its last start on."""


def run_fork(
    *, user: User, run: Run, request: ForkRequest, idempotency_key: str | None = None
) -> Creation:
    """The run's graph again, as a design: whoever reads an edited message, or reads who reads it,
    is asked anew; everybody else's message is kept. Raises ApplicationError."""
    body = {"fork_of": str(run.id), **request.model_dump(mode="json")}
    asked = Asked.of(Run, user=user, body=body, key=idempotency_key)
    if earlier := asked.earlier():
        return Creation(earlier, created=False)
    if run.status in (Run.Status.QUEUED, Run.Status.RUNNING):
        raise ApplicationError(
            code="run_under_way",
            message=f"The run is {run.status}; what its agents say is not settled yet.",
            remedy="Wait for its end, or cancel it first.",
            status_code=status.HTTP_409_CONFLICT,
        )
    design = graph_of_run(run)
    turns = _turns(agent_events(run, run.attempt))
    spoken = {agent.id for agent in design.agents if agent.id in turns}
    errors = list(message_errors(request.messages, spoken, "has spoken in this run"))
    errors += breakpoint_errors(request.breakpoints, {agent.id for agent in design.agents})
    if errors:
        raise ApplicationError.of_fields(errors)
    kept = _kept(design, turns, request.messages, run.task_details.get("answer_form", "text"))
    if not request.messages and {event["agent_id"] for event in kept} >= spoken:
        message = "Every agent's message would be kept: change one, or retry the run."
        raise ApplicationError.of_fields([FieldError("messages", "no_change", message)])
    control = RunControl(breakpoints=request.breakpoints, step=request.step, kept=tuple(kept))
    as_drawn = run.method == DESIGN
    values = {
        "method": DESIGN,
        "method_config": {
            "graph": graph_of(design).model_dump(mode="json"),
            "answer_from": design.answer_from,
            "summary": design.summary,
        },
        "endpoint": run.endpoint,
        "endpoint_key": run.endpoint_key,
        "endpoint_spec": endpoint_as_now(
            run.endpoint, began=run.endpoint_spec, remedy=FORKED
        ).model_dump(mode="json"),
        "endpoint_specs": endpoints_as_now(run.endpoint_specs, remedy=FORKED),
        "design": run.design if as_drawn else None,
        "design_version": run.design_version if as_drawn else None,
        "seed": run.seed,
        "query": run.query,
        "reference": run.reference,
        "task_details": run.task_details,
        "budget": run.budget,
        "control": control.model_dump(mode="json"),
        "fork_of": run,
    }
    return run_store(asked, values)


def _turns(events: tuple[dict[str, Any], ...]) -> dict[AgentId, Turn]:
    """An agent that a method asks twice has the turn that it took last."""
    turns: dict[AgentId, Turn] = {}
    for event in events:
        if event["event"] == "agent_started" or event["agent_id"] not in turns:
            turns[event["agent_id"]] = []
        turns[event["agent_id"]].append(event)
    return turns


def _kept(
    design: DesignSpec, turns: Mapping[AgentId, Turn], messages: Mapping[AgentId, str], form: Any
) -> Turn:
    """What stays: whoever finished and reads nobody whose message is another one now."""
    reads: nx.DiGraph[str] = nx.DiGraph()
    reads.add_nodes_from(agent.id for agent in design.agents)
    reads.add_edges_from((edge.source, edge.target) for edge in design.edges)
    settled: set[AgentId] = set()
    kept: Turn = []
    for agent_id in nx.topological_sort(reads):
        turn = turns.get(agent_id, [])
        if agent_id in messages:
            kept += _edited(turn, messages[agent_id], form)
        elif (
            turn
            and turn[-1]["event"] == "agent_finished"
            and (settled.issuperset(reads.predecessors(agent_id)))
        ):
            settled.add(agent_id)
            kept += [*turn[:-1], {**turn[-1], "given": turn[-1].get("given") or "kept"}]
    return kept


def _edited(turn: Turn, text: str, form: Any) -> Turn:
    """The turn as if its message had been this one; what it cost, it cost."""
    said = read_text(text, form)
    last = turn[-1]
    finished = AgentFinished(
        agent_id=last["agent_id"],
        message=said.text,
        answer=said.answer,
        refused=said.refused,
        usage=Usage.model_validate(last.get("usage") or {}),
        seconds=last.get("seconds") or 0.0,
        calls=last.get("calls", 1),
        retries=last.get("retries", 0),
        given="edited",
    )
    return [*turn[:-1], finished.model_dump(mode="json")]

"""A fork: a new run that continues from a changed message of another run."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from apps.accounts.admission import Asked, Creation
from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.texts import within_sentence
from apps.runs.breakpoints import breakpoint_errors
from apps.runs.control import ANEW, agent_events, message_errors
from apps.runs.models import Run
from apps.runs.requests import ForkRequest
from apps.runs.services import run_store
from apps.runs.spent import ENDS
from apps.runs.taking import graph_of_run
from apps.setups.drawn import DESIGN
from workers.core.benchmarks.entry_points import entry_points
from workers.core.designs.spec import config_of
from workers.core.events import AgentFinished, AgentStarted
from workers.core.graph import generations, predecessors
from workers.core.mas.contribution import read_text
from workers.core.specs import AgentId, AgentNode, GraphSpec, RunControl, TaskSpec, Usage

FINISHED = "agent_finished"
Turn = list[dict[str, Any]]
"""The stored events of one agent, from its last start."""


def run_fork(
    *, user: User, run: Run, request: ForkRequest, idempotency_key: str | None = None
) -> Creation[Run]:
    """The run's graph again, as a design. Agents that read an edited message, directly or through
    others, are asked again; the messages of all others are kept. Raises ApplicationError."""
    body = {"fork_of": str(run.id), **request.model_dump(mode="json")}
    asked = Asked.of(Run, user=user, body=body, key=idempotency_key)
    if earlier := asked.earlier():
        return Creation(earlier, created=False)
    if run.status in (Run.Status.QUEUED, Run.Status.RUNNING):
        raise conflict(
            "run_under_way",
            _("The run is %(status)s, so its agents' messages may still change.")
            % {"status": within_sentence(run.get_status_display())},
            _("Wait until it ends, or cancel it first."),
        )
    config = _drawn(run)
    graph = GraphSpec.model_validate(config["graph"])
    turns = _turns(agent_events(run, run.attempt))
    spoken = {node.id for node in graph.nodes if node.id in turns}
    unknown = _("%(agent_id)s is not an agent that has written a message in this run.")
    errors = list(message_errors(request.messages, spoken, unknown))
    errors += breakpoint_errors(request.breakpoints or (), {node.id for node in graph.nodes})
    if errors:
        raise ApplicationError.of_fields(errors)
    kept = _kept(graph, turns, request.messages, run)
    if not request.messages and {event["agent_id"] for event in kept} >= spoken:
        message = _("No message would change. Change a message, or retry the run.")
        raise ApplicationError.of_fields([FieldError("messages", "no_change", message)])
    inherited = RunControl.model_validate(run.control).breakpoints
    stops = inherited if request.breakpoints is None else request.breakpoints
    control = RunControl(
        breakpoints=tuple(dict.fromkeys(stops)),
        step=request.step,
        stepped=request.step,
        kept=tuple(kept),
    )
    run.renew_endpoints(remedy=ANEW)
    of_another = {"pool_version_id": None, "profiles_id": None, "checkpoint": ""}
    undrawn = {} if run.method == DESIGN else {"design_id": None, "design_version": None}
    values = {
        **run.set_up(),
        **of_another,
        **undrawn,
        "method": DESIGN,
        "method_config": config,
        "seed": run.seed,
        "query": run.query,
        "reference": run.reference,
        "task_details": run.task_details,
        "budget": run.budget,
        "control": control.model_dump(mode="json"),
        "fork_of": run,
    }
    return run_store(asked, values)


def _drawn(run: Run) -> dict[str, Any]:
    """The run's graph and the agent whose answer counts, as drawn or as the method built it.

    Raises ApplicationError if no graph was built.
    """
    if run.method == DESIGN:
        drawn: dict[str, Any] = run.method_config
        return drawn
    return config_of(graph_of_run(run)).model_dump(mode="json")


def _turns(events: tuple[dict[str, Any], ...]) -> dict[AgentId, Turn]:
    """If a method asked an agent twice, the last turn counts."""
    turns: dict[AgentId, Turn] = {}
    for event in events:
        if event["event"] == "agent_started" or event["agent_id"] not in turns:
            turns[event["agent_id"]] = []
        turns[event["agent_id"]].append(event)
    return turns


def _kept(
    graph: GraphSpec, turns: Mapping[AgentId, Turn], messages: Mapping[AgentId, str], run: Run
) -> Turn:
    """Keeps the messages of agents that finished and read no changed message."""
    reads = predecessors(graph)
    nodes = {node.id: node for node in graph.nodes}
    settled: set[AgentId] = set()
    kept: Turn = []
    for agent_id in (agent_id for wave in generations(graph) for agent_id in wave):
        turn = turns.get(agent_id, [])
        if agent_id in messages:
            kept += _edited(turn, messages[agent_id], nodes[agent_id], run)
        elif turn and turn[-1]["event"] == FINISHED and settled.issuperset(reads[agent_id]):
            settled.add(agent_id)
            kept += [*turn[:-1], {**turn[-1], "given": "kept"}]
    return kept


def _edited(turn: Turn, text: str, node: AgentNode, run: Run) -> Turn:
    """The turn as if its message had been this text. The cost stays as it was."""
    task = TaskSpec(query=run.query, reference=run.reference, **run.task_details)
    said = read_text(text, task.answer_form, entry_points(task))
    last = turn[-1] if turn[-1]["event"] in ENDS else {}
    before = turn[:-1] if last else turn
    finished = AgentFinished(
        agent_id=node.id,
        message=said.text,
        thoughts=said.thoughts,
        answer=said.answer,
        refused=said.refused,
        usage=Usage.model_validate(last.get("usage") or {}),
        seconds=last.get("seconds") or 0.0,
        calls=last.get("calls", 1),
        retries=last.get("retries", 0),
        failed_tries=last.get("failed_tries", ()),
        given="edited",
    )
    started = () if before else (_started(node, run),)
    return [*started, *before, finished.model_dump(mode="json")]


def _started(node: AgentNode, run: Run) -> dict[str, Any]:
    """For an agent that failed before it could start."""
    role = node.role
    return AgentStarted(
        agent_id=node.id,
        role_key=role.key,
        role_name=role.name,
        family=role.family,
        endpoint=node.endpoint or run.endpoint_key,
    ).model_dump(mode="json")

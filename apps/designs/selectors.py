"""Reads about designs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, F, Func, IntegerField, QuerySet
from pydantic import TypeAdapter

from apps.common.errors import ApplicationError, FieldError
from apps.designs.models import Design
from apps.llms.models import Endpoint
from apps.roles.models import PoolVersion
from apps.runs.models import Run
from apps.training.models import TrainingSample
from workers.core.designs.problems import Problem, find_problems
from workers.core.designs.spec import DesignSpec, design_of, read_design
from workers.core.events import EVENT_ADAPTER, Event
from workers.core.mas.summary import SUMMARY_ID
from workers.core.run_record import RunRecord
from workers.core.specs import PoolSpec
from workers.core.tools.registry import TOOLS

BUILDING = ("graph_planned", "node_sampled", "edges_sampled", "intermediate_answer")
ADAPTER: TypeAdapter[Event] = EVENT_ADAPTER


def design_list() -> QuerySet[Design]:
    """For a list: how many agents and versions, without the drafts."""
    agents = Func(F("draft__agents"), function="jsonb_array_length", output_field=IntegerField())
    return (
        Design.objects.select_related("created_by", "updated_by")
        .defer("draft")
        .annotate(agent_count=agents, version_count=Count("versions"))
    )


def design_problems(spec: DesignSpec) -> tuple[Problem, ...]:
    """As the studio is now: endpoints that are switched on, tools that it has."""
    endpoints = set(Endpoint.objects.filter(enabled=True).values_list("key", flat=True))
    return find_problems(spec, endpoints=endpoints, tools=TOOLS.keys())


def graph_of_run(run: Run) -> DesignSpec:
    """The graph that the run built, as a design. Raises ApplicationError where it built none."""
    built = run.events.filter(attempt=run.attempt, kind__in=BUILDING).order_by("seq")
    return _graph(built.values_list("payload", flat=True), run.pool_version, "from_run")


def graph_of_sample(sample: TrainingSample) -> DesignSpec:
    """As `graph_of_run`, of a system that a training sampled."""
    built = (event for event in sample.payload["trace"] if event["event"] in BUILDING)
    return _graph(built, sample.job.pool_version, "from_sample")


def _graph(built: Iterable[Any], pool_version: PoolVersion | None, field: str) -> DesignSpec:
    pool = pool_version and PoolSpec.model_validate(pool_version.spec)
    record = RunRecord(pool or None)
    answers = None
    for payload in built:
        event = ADAPTER.validate_python(payload)
        record.take(event)
        answers = getattr(event, "agent_id", None) if event.event == BUILDING[-1] else answers
    if not record.graph.nodes:
        message = "Nothing was built there that could be taken over."
        raise ApplicationError.of_fields([FieldError(field, "no_graph", message)])
    present = {node.id for node in record.graph.nodes}
    return design_of(
        record.graph,
        answer_from=answers if answers in present else None,
        summary=answers == SUMMARY_ID,
    )


def version_spec(design: Design, number: int | None) -> DesignSpec:
    """A version, or with None the draft. Raises DesignVersion.DoesNotExist."""
    return design.spec() if number is None else read_design(design.versions.get(number=number).spec)

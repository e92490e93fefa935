"""Reads about designs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, Func, IntegerField, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from pydantic import TypeAdapter

from apps.common.errors import ApplicationError, FieldError
from apps.designs.models import UNNAMED, Design, DesignVersion
from apps.llms.models import Endpoint
from apps.roles.models import PoolVersion
from apps.runs.models import Run
from apps.training.models import TrainingSample
from workers.core.designs.problems import Problem, find_problems
from workers.core.designs.spec import DesignSpec, read_design
from workers.core.designs.taking import departures, taken_over
from workers.core.events import EVENT_ADAPTER, Event
from workers.core.run_record import RunRecord
from workers.core.specs import GraphSpec, PoolSpec
from workers.core.tools.registry import TOOLS

BUILDING = (
    "graph_planned",
    "node_sampled",
    "edges_sampled",
    "revision_asked",
    "intermediate_answer",
)
ADAPTER: TypeAdapter[Event] = EVENT_ADAPTER


UNTOUCHED = Q(
    ~Exists(DesignVersion.objects.filter(design=OuterRef("pk"))),
    revision=1,
    origin=Design.Origin.DRAWN,
    name=UNNAMED,
    draft__agents=[],
)
"""Of a design that was begun and left: it was never named, and nothing was drawn in it."""


def design_list() -> QuerySet[Design]:
    """For a list: how many agents and versions, without the drafts."""
    agents = Func(F("draft__agents"), function="jsonb_array_length", output_field=IntegerField())
    return (
        Design.objects.select_related("created_by", "updated_by")
        .defer("draft")
        .annotate(agent_count=agents, version_count=Count("versions"))
    )


def design_heads() -> QuerySet[Design]:
    """Who changed a design last; asked for over and over, so nothing of the drafts is read."""
    return Design.objects.select_related("updated_by").defer("draft")


def design_problems(spec: DesignSpec) -> tuple[Problem, ...]:
    """As the studio is now: endpoints that are switched on, tools that it has."""
    endpoints = set(Endpoint.objects.filter(enabled=True).values_list("key", flat=True))
    return find_problems(spec, endpoints=endpoints, tools=TOOLS.keys())


def problems_of(design: Design) -> tuple[Problem, ...]:
    """Those of its draft, then in what it differs from the run that it was taken from."""
    return (*design_problems(design.spec()), *_departures(design.from_run))


def draft_problems(spec: DesignSpec, design_id: UUID | None) -> tuple[Problem, ...]:
    """Those that a design would have with this draft; None: one that was taken from no run.

    Raises Design.DoesNotExist.
    """
    if design_id is None:
        return design_problems(spec)
    design = Design.objects.select_related("from_run").defer("draft").get(id=design_id)
    return (*design_problems(spec), *_departures(design.from_run))


def _departures(run: Run | None) -> tuple[Problem, ...]:
    if run is None:
        return ()
    form = run.task_details.get("answer_form", "text")
    found = departures(
        method=run.method, options=run.method_config, answer_form=form, answer=run.answer
    )
    return tuple(found)


def graph_of_run(run: Run) -> DesignSpec:
    """The graph that the run built, as a design. Raises ApplicationError where it built none."""
    built = run.events.filter(attempt=run.attempt, kind__in=BUILDING).order_by("seq")
    graph, answered = _built(built.values_list("payload", flat=True), run.pool_version)
    return _taken(graph, run.method, run.method_config, answered, "from_run")


def graph_of_sample(sample: TrainingSample) -> DesignSpec:
    """As `graph_of_run`, of a system that a training sampled."""
    built = (event for event in sample.payload["trace"] if event["event"] in BUILDING)
    graph, answered = _built(built, sample.job.pool_version)
    return _taken(graph, sample.job.method, sample.job.config, answered, "from_sample")


def _built(built: Iterable[Any], pool_version: PoolVersion | None) -> tuple[GraphSpec, str | None]:
    """The graph, and which agent gave the last answer."""
    pool = pool_version and PoolSpec.model_validate(pool_version.spec)
    record = RunRecord(pool or None)
    answers = None
    for payload in built:
        event = ADAPTER.validate_python(payload)
        record.take(event)
        answers = getattr(event, "agent_id", None) if event.event == BUILDING[-1] else answers
    return record.graph, answers


def _taken(
    graph: GraphSpec, method: str, options: dict[str, Any], answered: str | None, field: str
) -> DesignSpec:
    if not graph.nodes:
        message = _("Nothing was built there that could be taken over.")
        raise ApplicationError.of_fields([FieldError(field, "no_graph", message)])
    return taken_over(graph, method=method, options=options, answered=answered)


def version_spec(design: Design, number: int | None) -> DesignSpec:
    """A version, or with None the draft. Raises DesignVersion.DoesNotExist."""
    return design.spec() if number is None else read_design(design.versions.get(number=number).spec)

"""Reads about designs."""

from collections.abc import Iterator
from uuid import UUID

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    Func,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
)

from apps.designs.models import UNNAMED, Design, DesignVersion
from apps.llms.models import Endpoint
from workers.core.designs.problems import Problem, find_problems
from workers.core.designs.spec import DesignSpec, read_design
from workers.core.tools.registry import TOOLS

UNTOUCHED = Q(
    ~Exists(DesignVersion.objects.filter(design=OuterRef("pk"))),
    revision=1,
    origin=Design.Origin.DRAWN,
    name=UNNAMED,
    draft__agents=[],
    draft__script=None,
)
"""A design that was started and left: it has no name, and nothing was drawn or written in it."""


def design_list() -> QuerySet[Design]:
    """For a list: the number of agents and versions, without the drafts."""
    agents = Func(F("draft__agents"), function="jsonb_array_length", output_field=IntegerField())
    return (
        Design.objects.select_related("created_by", "updated_by")
        .defer("draft")
        .annotate(
            agent_count=agents,
            version_count=Count("versions"),
            is_script=ExpressionWrapper(~Q(draft__script=None), output_field=BooleanField()),
        )
    )


def design_heads() -> QuerySet[Design]:
    """Who changed a design last. Pages ask this often, so it reads no drafts."""
    return Design.objects.select_related("updated_by").defer("draft")


def design_problems(spec: DesignSpec) -> tuple[Problem, ...]:
    """Problems in the studio as it is now: its enabled endpoints and its tools."""
    endpoints = set(Endpoint.objects.filter(enabled=True).values_list("key", flat=True))
    return find_problems(spec, endpoints=endpoints, tools=TOOLS.keys())


def problems_of(design: Design) -> tuple[Problem, ...]:
    """Problems of the draft, then how it differs from what it was taken from."""
    return (*design_problems(design.spec()), *_departures(design))


def draft_problems(spec: DesignSpec, design_id: UUID | None) -> tuple[Problem, ...]:
    """Problems that a design would have with this draft; None: a design that was not taken from
    anything.

    Raises Design.DoesNotExist.
    """
    if design_id is None:
        return design_problems(spec)
    return (*design_problems(spec), *_departures(Design.objects.defer("draft").get(id=design_id)))


def _departures(design: Design) -> Iterator[Problem]:
    return map(Problem.model_validate, design.departures)


def version_spec(design: Design, number: int | None) -> DesignSpec:
    """A version; None: the draft. Raises DesignVersion.DoesNotExist."""
    return design.spec() if number is None else read_design(design.versions.get(number=number).spec)

"""A run's graph as the start of a design."""

from uuid import UUID

from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError
from apps.designs.models import Design
from apps.designs.taking import READ, Beginning, Built, taken
from apps.runs.models import Run
from workers.core.designs.problems import Problem
from workers.core.designs.spec import DesignSpec

FIELD = "from_run"


def beginning_of_run(run_id: UUID) -> Beginning:
    """Raises ApplicationError if there is no such run, or if it built no graph."""
    run = Run.objects.filter(id=run_id).first()
    if run is None:
        message = _("There is no such run. It may have been deleted.")
        raise ApplicationError.of_fields([FieldError(FIELD, "unknown_run", message)])
    spec, departures = _taken(run)
    return Beginning(Design.Origin.RUN, spec, run.query, departures, run.id)


def graph_of_run(run: Run) -> DesignSpec:
    """Also of a script the calls that it made. Raises ApplicationError if it built no graph."""
    return _taken(run, as_graph=True)[0]


def _taken(run: Run, *, as_graph: bool = False) -> tuple[DesignSpec, tuple[Problem, ...]]:
    events = run.events.filter(attempt=run.attempt, kind__in=READ).order_by("seq")
    built = Built(
        events=events.values_list("payload", flat=True),
        pool_version=run.pool_version,
        method=run.method,
        options=run.method_config,
        answer_form=run.task_details.get("answer_form", "text"),
        answer=run.answer,
        checkpoint=run.checkpoint or "",
    )
    return taken(built, field=FIELD, as_graph=as_graph)

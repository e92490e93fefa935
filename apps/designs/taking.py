"""Makes designs from graphs that were built elsewhere.

Apps above know what a design may start from: each adds to `BEGINNINGS` when Django is ready.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError
from apps.designs.models import Design
from apps.roles.models import PoolVersion
from workers.core.designs.problems import Problem
from workers.core.designs.spec import DesignSpec
from workers.core.designs.taking import departures, taken_over
from workers.core.events import EVENT_ADAPTER, EVENTS, Grows, ScriptRead
from workers.core.mas.record import RunRecord
from workers.core.specs import AnswerForm, PoolSpec

READ = frozenset(
    {
        "intermediate_answer",
        "script_read",
        *(kind for kind, each in EVENTS.items() if issubclass(each, Grows)),
    }
)
"""Kinds of events that say what was built, and which agent answered."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """`departures`: how a run of the design would differ from what was taken."""

    origin: Design.Origin
    spec: DesignSpec
    query: str
    departures: tuple[Problem, ...]
    run_id: UUID | None = None


BEGINNINGS: dict[str, Callable[[Any], Beginning]] = {}
"""By the name of the request's field. Gets the field's value. Raises ApplicationError."""


def _otherwise_asked(checkpoint: str) -> tuple[Problem, ...]:
    """How a script that a run played differs as a design."""
    if not checkpoint:
        return ()
    told = Problem(
        severity="warning",
        code="other_models",
        message=_(
            "In the original run the trained models of the checkpoint “%(checkpoint)s” spoke. "
            "In this design the endpoint's model speaks."
        )
        % {"checkpoint": checkpoint},
        remedy=_("If this matters, run the method itself with the script in its settings."),
    )
    return (told,)


@dataclass(frozen=True, slots=True)
class Built:
    """The source of a graph: `events` are payloads, of the kinds in `READ`, in order."""

    events: Iterable[Any]
    pool_version: PoolVersion | None
    method: str
    options: Mapping[str, Any]
    answer_form: AnswerForm
    answer: str | None
    checkpoint: str = ""


def taken(
    built: Built, *, field: str, as_graph: bool = False
) -> tuple[DesignSpec, tuple[Problem, ...]]:
    """The design and its departures. A run of a script gives the script, or `as_graph` the calls
    that it made. If none of its scripts can be used, it gives the last one with its mistakes.
    Raises ApplicationError if nothing was built."""
    version = built.pool_version
    record = RunRecord(PoolSpec.model_validate(version.spec) if version else None)
    script: str | None = None
    for payload in built.events:
        event = EVENT_ADAPTER.validate_python(payload)
        record.take(event)
        if isinstance(event, ScriptRead):
            script = event.script
    if script and not as_graph:
        return DesignSpec(script=script), _otherwise_asked(built.checkpoint)
    if not record.graph.nodes:
        message = _("There is no finished graph here to make a design from.")
        raise ApplicationError.of_fields([FieldError(field, "no_graph", message)])
    answered = record.answer.agent_id if record.answer else None
    spec = taken_over(record.graph, method=built.method, options=built.options, answered=answered)
    found = departures(
        method=built.method,
        options=built.options,
        answer_form=built.answer_form,
        answer=built.answer,
    )
    return spec, tuple(found)

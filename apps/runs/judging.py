"""What a run's answer is judged by."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from apps.common.errors import FieldError
from apps.runs.models import Run
from apps.runs.requests import RunRequest
from apps.tasks.models import Task
from workers.core.benchmarks.judging import BY_REFERENCE, verifier_for
from workers.core.specs import TaskSpec


@dataclass(frozen=True, slots=True)
class Judging:
    """What a run keeps of its task besides the query."""

    reference: str | None = None
    task_details: dict[str, Any] = field(default_factory=dict)


def judging_of(request: RunRequest, errors: list[FieldError]) -> Judging:
    """Adds what is wrong to `errors`. A blank reference counts as none."""
    if request.task is not None:
        return _as_task(request, request.task, errors)
    if request.judged_as is not None:
        return _as_another(request, request.judged_as, errors)
    if request.reference is None or not request.reference.strip():
        if request.verifier is not None:
            message = _("A verifier needs a reference. Give the expected answer as well.")
            errors.append(FieldError("verifier", "no_reference", message))
        return Judging()
    verifier = request.verifier or verifier_for(request.reference.strip())
    if verifier not in BY_REFERENCE:
        message = _(
            "“%(verifier)s” is not a verifier that needs only a reference. Use one of: "
            "%(verifiers)s."
        ) % {"verifier": verifier[:63], "verifiers": ", ".join(BY_REFERENCE)}
        errors.append(FieldError("verifier", "unknown_verifier", message))
    return Judging(request.reference, {"verifier": verifier})


def _as_task(request: RunRequest, number: int, errors: list[FieldError]) -> Judging:
    if (request.reference, request.verifier, request.judged_as) != (None, None, None):
        message = _(
            "The task has a reference. Leave out your reference, the verifier and the other run."
        )
        errors.append(FieldError("task", "two_references", message))
    task = Task.objects.filter(id=number).first()
    if task is None:
        message = _("There is no such task. An import may have replaced it. Leave the task out.")
        errors.append(FieldError("task", "unknown_task", message))
        return Judging()
    spec = task.spec()
    if spec.query != request.query:
        message = _(
            "The task has a different question. Ask the task's question, or leave the task out."
        )
        errors.append(FieldError("task", "other_query", message))
    return Judging(spec.reference, task_details(spec))


def task_details(spec: TaskSpec) -> dict[str, Any]:
    """What a run keeps of a task besides its query and reference."""
    return spec.model_dump(mode="json", exclude={"query", "reference"})


def _as_another(request: RunRequest, other: UUID, errors: list[FieldError]) -> Judging:
    if request.reference is not None or request.verifier is not None:
        message = _("The other run has a reference. Leave out your reference and the verifier.")
        errors.append(FieldError("judged_as", "two_references", message))
    run = Run.objects.filter(id=other).only("reference", "task_details").first()
    if run is None:
        message = _("There is no such run. It may have been deleted. Give a reference instead.")
        errors.append(FieldError("judged_as", "unknown_run", message))
        return Judging()
    return Judging(run.reference, run.task_details)

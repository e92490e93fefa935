"""A system that a training sampled, or a script of its designer, as the start of a design."""

from typing import TypedDict
from uuid import UUID

from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError
from apps.designs.models import Design
from apps.designs.taking import READ, Beginning, Built, taken
from apps.training.folders import training_folder
from apps.training.models import TrainingJob, TrainingSample
from workers.core.designs.problems import Problem
from workers.core.designs.spec import SCRIPT_MAX_CHARS, DesignSpec
from workers.core.rollouts.designs import script_of

FIELD = "from_sample"
DESIGN_FIELD = "from_sampled_design"


def beginning_of_sample(sample_id: int) -> Beginning:
    """Raises ApplicationError if there is no such system, or if it is empty."""
    found = TrainingSample.objects.select_related("job__pool_version").filter(id=sample_id).first()
    if found is None:
        message = _("There is no such sampled system. Its training may have been deleted.")
        raise ApplicationError.of_fields([FieldError(FIELD, "unknown_sample", message)])
    built = Built(
        events=[event for event in found.payload["trace"] if event["event"] in READ],
        pool_version=found.job.pool_version,
        method=found.job.method,
        options=found.job.config,
        answer_form="text",
        answer=found.payload["answer"],
    )
    spec, departures = taken(built, field=FIELD)
    return Beginning(Design.Origin.SAMPLE, spec, found.query, departures)


class Place(TypedDict):
    """Of a design among those of a step; see `workers.core.rollouts.designs.DesignRow`."""

    job: UUID
    step: int
    question: int
    design: int


def beginning_of_design(place: Place) -> Beginning:
    """Raises ApplicationError if the training no longer keeps it, or if it has no script."""
    found = _script(place)
    if found is None:
        message = _(
            "There is no such design. A training keeps those of its latest steps "
            "(branches_kept), until it is deleted."
        )
        raise ApplicationError.of_fields([FieldError(DESIGN_FIELD, "unknown_design", message)])
    query, script = found
    if not script:
        message = _("The designer's reply has no script to make a design from.")
        raise ApplicationError.of_fields([FieldError(DESIGN_FIELD, "no_script", message)])
    spec = DesignSpec(script=script[:SCRIPT_MAX_CHARS])
    return Beginning(Design.Origin.SAMPLE, spec, query, (_otherwise_asked(),))


def _script(place: Place) -> tuple[str, str] | None:
    if not TrainingJob.objects.filter(id=place["job"]).exists():
        return None
    folder = training_folder(place["job"])
    try:
        return script_of(folder, place["step"], question=place["question"], design=place["design"])
    except FileNotFoundError:
        return None


def _otherwise_asked() -> Problem:
    return Problem(
        severity="warning",
        code="other_models",
        message=_(
            "In the training its own models spoke, at temperature 1. In this design the "
            "endpoint's model speaks, at the temperatures of the script."
        ),
        remedy=_(
            "If this matters, run the method itself with a checkpoint of the training and the "
            "script in its settings."
        ),
    )

"""A system that a training sampled, as the start of a design."""

from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError
from apps.designs.models import Design
from apps.designs.taking import READ, Beginning, Built, taken
from apps.training.models import TrainingSample

FIELD = "from_sample"


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

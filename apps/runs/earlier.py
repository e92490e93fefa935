"""What a lost attempt had finished. The next attempt takes it over and continues after it."""

from django.db.models import Count, Max

from apps.runs.models import Run
from workers.core.events import SETTLING_EVENTS
from workers.core.specs import Earlier


def earlier_of(run: Run) -> Earlier | None:
    """From the attempt before the run's present one that had finished most. None: none had finished
    anything, so the run begins at its start."""
    if run.attempt < 2:
        return None
    settled = run.events.filter(kind__in=SETTLING_EVENTS, attempt__lt=run.attempt)
    attempts = settled.values("attempt").annotate(parts=Count("id"), last=Max("seq"))
    found = attempts.order_by("-parts", "-attempt").first()
    if found is None:
        return None
    events = run.events.filter(attempt=found["attempt"], seq__lte=found["last"]).order_by("seq")
    payloads = tuple(events.values_list("payload", flat=True))
    return Earlier(attempt=found["attempt"], events=payloads)

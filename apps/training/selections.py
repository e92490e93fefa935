"""How likely each role was to be chosen, early, in the middle and late in a training.

The sums are Postgres's: a training of 10,000 steps answers as fast as its page asks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from django.db import connection
from django.db.models import Max
from pydantic import ValidationError

from apps.setups.specs import pool_spec
from apps.training.models import Metric, TrainingJob
from workers.core.methods.base import SelectsRoles
from workers.core.methods.registry import METHODS
from workers.core.specs import RoleSpec

PERIODS = 3


@dataclass(frozen=True, slots=True)
class Period:
    """Steps of the training, both included."""

    first_step: int
    last_step: int


@dataclass(frozen=True, slots=True)
class Cell:
    """`period`: its place in the periods. `count`: layers that were drawn. `probabilities`: the
    mean over them, by role."""

    period: int
    place: str
    layer: int
    count: int
    probabilities: dict[str, float]


@dataclass(frozen=True, slots=True)
class Selections:
    roles: tuple[RoleSpec, ...]
    periods: tuple[Period, ...]
    cells: tuple[Cell, ...]


def job_selections(job: TrainingJob) -> Selections:
    """Thirds of the steps so far. A training of fewer steps than thirds has fewer. No cells: its
    method chooses no roles, or it was trained before they were stored."""
    steps = Metric.objects.filter(job=job).aggregate(last=Max("step"))["last"] or 0
    roles = roles_of(job)
    cells = tuple(_cells(job.id, steps, [role.key for role in roles]))
    return Selections(roles, periods_of(steps), cells)


def periods_of(steps: int) -> tuple[Period, ...]:
    """Step s is in period ⌊(s − 1) · 3 / steps⌋."""
    bounds = [-(-place * steps // PERIODS) for place in range(PERIODS + 1)]
    found = (Period(first + 1, last) for first, last in pairwise(bounds))
    return tuple(period for period in found if period.first_step <= period.last_step)


def roles_of(job: TrainingJob) -> tuple[RoleSpec, ...]:
    """Those that the training chooses from; () if its method chooses none, or can't read the
    settings of another version."""
    method = METHODS.get(job.method)
    if not isinstance(method, SelectsRoles):
        return ()
    try:
        return method.selectable(job.config, pool_spec(job.pool_version_id))
    except ValidationError:
        return ()


def _cells(job_id: UUID, steps: int, roles: Sequence[str]) -> Iterator[Cell]:
    """`roles`: their keys."""
    if not steps or not roles:
        return
    sums = ", ".join([_SUM] * len(roles))
    with connection.cursor() as cursor:
        cursor.execute(_CELLS.format(sums=sums), [PERIODS, steps, *roles, job_id])
        for period, place, layer, count, *found in cursor.fetchall():
            known = zip(roles, found, strict=True)
            means = {role: total / count for role, total in known if total is not None}
            yield Cell(period, place, layer, count, means)


_SUM = "sum(count * (probabilities ->> %s)::float)"
_CELLS = """
SELECT (step - 1) * %s / %s AS period, place, layer, sum(count), {sums}
FROM training_metric
CROSS JOIN LATERAL jsonb_to_recordset(selections)
    AS cell(place text, layer int, count int, probabilities jsonb)
WHERE job_id = %s
GROUP BY period, place, layer ORDER BY period, place, layer
"""
"""A sum for each role takes a third of the time of a row for each role."""

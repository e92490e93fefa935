"""One action on many runs. If one run refuses, the others still get it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.common.errors import ApplicationError
from apps.runs.annotations import label_save
from apps.runs.models import Run
from apps.runs.services import run_cancel, run_delete, run_retry

MOST = 100
"""Limit on runs per request; a longer list takes several requests."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome for one run. `made` is the new run, if it was run again."""

    run_id: UUID
    refusal: ApplicationError | None = None
    made: UUID | None = None


Deed = Callable[[UUID], UUID | None]


def runs_cancel(*, user: User, run_ids: Sequence[UUID], as_admin: bool) -> list[Outcome]:
    def cancel(run_id: UUID) -> None:
        run_cancel(user=user, run_id=run_id, as_admin=as_admin)

    return _each(run_ids, cancel)


def runs_delete(*, user: User, run_ids: Sequence[UUID], as_admin: bool) -> list[Outcome]:
    def delete(run_id: UUID) -> None:
        run_delete(user=user, run_id=run_id, as_admin=as_admin)

    return _each(run_ids, delete)


def runs_label(*, user: User, run_ids: Sequence[UUID], label: str) -> list[Outcome]:
    """Sets the label of the user's note on each run. Score and comment stay; an empty label removes
    it."""

    def save(run_id: UUID) -> None:
        label_save(user=user, run_id=run_id, label=label)

    return _each(run_ids, save)


def runs_retry(
    *, user: User, run_ids: Sequence[UUID], idempotency_key: str | None = None
) -> list[Outcome]:
    """With a key no run is made twice, even if the request is repeated after half of it."""

    def retry(run_id: UUID) -> UUID:
        run = Run.objects.select_related("endpoint", "pool_version", "design", "fork_of")
        key = f"{idempotency_key}:{run_id}" if idempotency_key else None
        return run_retry(user=user, run=run.get(id=run_id), idempotency_key=key).row.id

    return _each(run_ids, retry)


def _each(run_ids: Sequence[UUID], deed: Deed) -> list[Outcome]:
    return [_outcome(run_id, deed) for run_id in dict.fromkeys(run_ids)]


def _outcome(run_id: UUID, deed: Deed) -> Outcome:
    try:
        return Outcome(run_id, made=deed(run_id))
    except Run.DoesNotExist:
        gone = ApplicationError(
            code="not_found", message=_("This run no longer exists."), status_code=404
        )
        return Outcome(run_id, refusal=gone)
    except ApplicationError as error:
        return Outcome(run_id, refusal=error)

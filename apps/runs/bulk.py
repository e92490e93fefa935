"""One action on many runs. If one run refuses, the others still get it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.common.errors import ApplicationError
from apps.runs.annotations import label_save
from apps.runs.models import Run
from apps.runs.services import run_cancel, run_delete, run_retry

MOST = 100
"""Limit on runs per request; a longer list takes several requests."""

Action = Literal["cancel", "retry", "label", "delete"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome for one run. `made` is the new run, if it was run again."""

    run_id: UUID
    refusal: ApplicationError | None = None
    made: UUID | None = None


@dataclass(frozen=True, slots=True)
class Deed:
    """`label` is that of the user's note on each run. Score and comment stay; an empty label
    removes it. With a key no run is made twice, even if the request is repeated after half of
    it."""

    action: Action
    user: User
    as_admin: bool
    label: str = ""
    idempotency_key: str | None = None

    def do(self, run_id: UUID) -> UUID | None:
        """The new run, if it was run again."""
        if self.action == "retry":
            run = Run.objects.select_related("endpoint", "pool_version", "design", "fork_of")
            key = f"{self.idempotency_key}:{run_id}" if self.idempotency_key else None
            return run_retry(user=self.user, run=run.get(id=run_id), idempotency_key=key).row.id
        if self.action == "cancel":
            run_cancel(user=self.user, run_id=run_id, as_admin=self.as_admin)
        elif self.action == "delete":
            run_delete(user=self.user, run_id=run_id, as_admin=self.as_admin)
        else:
            label_save(user=self.user, run_id=run_id, label=self.label)
        return None


def runs_each(run_ids: Sequence[UUID], deed: Deed) -> list[Outcome]:
    return [_outcome(run_id, deed) for run_id in dict.fromkeys(run_ids)]


def _outcome(run_id: UUID, deed: Deed) -> Outcome:
    try:
        return Outcome(run_id, made=deed.do(run_id))
    except Run.DoesNotExist:
        gone = ApplicationError(
            code="not_found", message=_("This run no longer exists."), status_code=404
        )
        return Outcome(run_id, refusal=gone)
    except ApplicationError as error:
        return Outcome(run_id, refusal=error)

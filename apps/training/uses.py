"""Who names a checkpoint, and that it stays until whoever is about to is stored."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from rest_framework import status

from apps.common.errors import ApplicationError
from apps.evaluations.models import EvaluationArm
from apps.runs.models import Run
from apps.training.models import Checkpoint, TrainingJob

# Postgres's weakest lock, that of a foreign key: many hold it at once, and only who changes or
# deletes a checkpoint waits. The order is the model's own, in which all lock several of them.
HOLD = """
    SELECT id, name FROM training_checkpoint WHERE name = ANY(%s)
    ORDER BY created_at DESC, id DESC FOR KEY SHARE
"""


def uses(checkpoint: Checkpoint) -> list[str]:
    """Who names it, as words for people; [] for nobody. To be sure, lock the checkpoint first."""
    name = checkpoint.name
    # Ended ones too, and what they left: only by this one do they know what it was trained on.
    jobs = TrainingJob.objects.filter(start_from=name)
    rewarded = TrainingJob.objects.filter(config__reward_checkpoint=name)
    others = Checkpoint.objects.exclude(pk=checkpoint.pk)
    later = others.filter(recipe__start_from=name)
    earned = others.filter(recipe__config__reward_checkpoint=name)
    named = (
        (_("runs"), Run.objects.filter(checkpoint=name).exists()),
        (_("evaluations"), EvaluationArm.objects.filter(checkpoint=name).exists()),
        (_("trainings that start from it"), jobs.exists()),
        (_("trainings that it rewards"), rewarded.exists()),
        (_("checkpoints that began with it"), later.exists()),
        (_("checkpoints that learned by its rewards"), earned.exists()),
    )
    return [what for what, there in named if there]


def checkpoints_hold(names: Iterable[str]) -> None:
    """To the end of the transaction, which stores what names them, nobody deletes them; "" is none.

    Raises ApplicationError (409) where one was deleted since it was chosen.
    """
    wanted = set(names) - {""}
    held = {row.name for row in Checkpoint.objects.raw(HOLD, [sorted(wanted)])} if wanted else set()
    for name in sorted(wanted - held):
        raise ApplicationError(
            code="checkpoint_gone",
            message=_(
                "The checkpoint “%(name)s” is not in the studio's list: it was deleted "
                "meanwhile, or its folder came after the studio's start."
            )
            % {"name": name},
            remedy=_("Choose another one, or restart the studio, which lists what lies there."),
            status_code=status.HTTP_409_CONFLICT,
        )

"""What uses a checkpoint, and keeping a checkpoint until what is about to use it is stored."""

from collections.abc import Callable, Iterable

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from apps.checkpoints.models import Checkpoint
from apps.common.errors import conflict

# Postgres's weakest lock, that of a foreign key: many hold it at once, and only who changes or
# deletes a checkpoint waits. The order is the model's own, in which all lock several of them.
HOLD = """
    SELECT id, name FROM training_checkpoint WHERE name = ANY(%s)
    ORDER BY created_at DESC, id DESC FOR KEY SHARE
"""


Names = Callable[[str], bool]
"""Whether something uses the checkpoint."""
USERS: list[tuple[Promise, Names]] = []
"""Kinds of things that may use it, in words for people. Apps above add theirs when Django is
ready."""


def uses(checkpoint: Checkpoint) -> list[str]:
    """What uses it, as words for people; [] for nothing. To be sure, lock the checkpoint first."""
    # What others left, too: only by this one do they know what they were trained on.
    others = Checkpoint.objects.exclude(pk=checkpoint.pk)
    later = others.filter(recipe__start_from=checkpoint.name)
    earned = others.filter(recipe__config__reward_checkpoint=checkpoint.name)
    return [
        *(str(what) for what, names in USERS if names(checkpoint.name)),
        *([_("checkpoints that began from it")] if later.exists() else []),
        *([_("checkpoints that learned from its rewards")] if earned.exists() else []),
    ]


def checkpoints_hold(names: Iterable[str]) -> None:
    """Blocks deletion of these until the end of the transaction, which stores what uses them; "" is
    none.

    Raises ApplicationError (409) if one was deleted since it was chosen.
    """
    wanted = set(names) - {""}
    held = {row.name for row in Checkpoint.objects.raw(HOLD, [sorted(wanted)])} if wanted else set()
    for name in sorted(wanted - held):
        raise conflict(
            "checkpoint_gone",
            _(
                "The checkpoint “%(name)s” is not in the studio's list. It was deleted, or its "
                "folder was added after the studio started."
            )
            % {"name": name},
            _("Choose another checkpoint, or restart the studio to list new folders."),
        )

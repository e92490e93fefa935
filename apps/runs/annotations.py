"""Notes of people on a run: a score, a label, a comment. One note per person and run."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError
from apps.common.names import text_errors
from apps.runs.models import Annotation, Run

LABEL_CHARS = 60
COMMENT_CHARS = 4_000
SCORES = range(1, 6)


@dataclass(frozen=True, slots=True)
class Note:
    """`score` is 1 (poor) to 5 (excellent). At least one of the three is given."""

    score: int | None = None
    label: str = ""
    comment: str = ""


@transaction.atomic
def annotation_save(*, user: User, run_id: UUID, note: Note) -> None:
    """Replaces the user's note on the run. Raises Run.DoesNotExist, and ApplicationError that names
    every wrong field."""
    if errors := _errors(note):
        raise ApplicationError.of_fields(errors)
    run = Run.objects.select_for_update(of=("self",)).only("id").get(id=run_id)
    Annotation.objects.update_or_create(
        run=run,
        author=user,
        defaults={
            "score": note.score,
            "label": note.label.strip(),
            "comment": note.comment.strip(),
        },
    )


@transaction.atomic
def label_save(*, user: User, run_id: UUID, label: str) -> None:
    """Sets only the label of the user's note; a note that becomes empty is deleted. Raises like
    `annotation_save`."""
    Run.objects.select_for_update(of=("self",)).only("id").get(id=run_id)
    known = Annotation.objects.filter(run_id=run_id, author=user).first()
    note = Note(known.score, label, known.comment) if known else Note(label=label)
    if note.label.strip() or note.score is not None or note.comment:
        annotation_save(user=user, run_id=run_id, note=note)
    else:
        annotation_delete(user=user, run_id=run_id)


@transaction.atomic
def annotation_delete(*, user: User, run_id: UUID) -> None:
    """Deletes the user's own note. Deleting none is no error, because the request may be
    repeated."""
    # Before its notes, as when a note is saved: the other order would be a deadlock.
    Run.objects.select_for_update(of=("self",)).only("id").filter(id=run_id).first()
    Annotation.objects.filter(run_id=run_id, author=user).delete()


def _errors(note: Note) -> list[FieldError]:
    errors = []
    if note.score is None and not note.label.strip() and not note.comment.strip():
        errors.append(FieldError("comment", "empty", _("Give a score, a label or a comment.")))
    if note.score is not None and note.score not in SCORES:
        message = _("Use a score from %(least)s to %(most)s.") % {
            "least": SCORES[0],
            "most": SCORES[-1],
        }
        errors.append(FieldError("score", "out_of_range", message))
    if len(note.label) > LABEL_CHARS or not note.label.isprintable():
        message = _("Use at most %(at_most)s printable characters, on one line.") % {
            "at_most": LABEL_CHARS
        }
        errors.append(FieldError("label", "bad_label", message))
    return errors + text_errors("comment", note.comment, COMMENT_CHARS)

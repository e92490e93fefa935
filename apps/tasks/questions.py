"""A new dataset of questions that need research. The same levels and seed give the same ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError
from apps.tasks.making import MOST_TASKS, count_errors, counts_of, dataset_of
from apps.tasks.models import Dataset
from apps.tasks.progress import Tell, nobody
from workers.core.benchmarks.research.packages import NoFacts
from workers.core.benchmarks.research.questions import LEVELS, NoQuestion, questions
from workers.core.specs import TaskSpec


@dataclass(frozen=True, slots=True)
class QuestionsWanted:
    """`splits`: how many questions each gets."""

    splits: Mapping[str, int]
    levels: Sequence[int] = LEVELS
    seed: int = 0


def dataset_of_questions(
    *, key: str, wanted: QuestionsWanted, name: str = "", tell: Tell = nobody
) -> Dataset:
    """If it raises ApplicationError, or what `tell` raises, nothing has changed."""
    levels = ", ".join(map(str, sorted(set(wanted.levels))))
    return dataset_of(
        _drawn(wanted, tell),
        key=key,
        name=name or f"Research, levels {levels}",
        description=_description(wanted, levels),
        source=f"drawn with seed {wanted.seed}",
        benchmark="research",
        tell=tell,
    )


def _drawn(wanted: QuestionsWanted, tell: Tell) -> dict[str, list[TaskSpec]]:
    errors = count_errors(wanted.splits)
    if (count := sum(wanted.splits.values())) > MOST_TASKS:
        message = _(
            "This asks for %(count)s questions; at most %(at_most)s are made at once. Ask for "
            "fewer."
        ) % {"count": f"{count:,}", "at_most": f"{MOST_TASKS:,}"}
        errors.append(FieldError("splits", "too_many_tasks", message))
    levels = sorted(set(wanted.levels))
    if not levels or not set(levels) <= set(LEVELS):
        known = ", ".join(map(str, LEVELS))
        message = _("Choose one or more of the levels %(known)s.") % {"known": known}
        errors.append(FieldError("levels", "unknown", message))
    if errors:
        raise ApplicationError.of_fields(errors)
    counts = counts_of(wanted.splits)
    drawn: dict[str, list[TaskSpec]] = {split: [] for split in counts}
    for split, of_split in counts.items():
        try:
            for task in questions(split=split, count=of_split, seed=wanted.seed, levels=levels):
                drawn[split].append(task)
                tell("composing", sum(map(len, drawn.values())), count)
        except NoQuestion as error:
            errors.append(FieldError(f"splits.{split}", "no_question", str(error)))
        except NoFacts as error:
            errors.append(FieldError("splits", "no_facts", str(error)))
            break
    if errors:
        raise ApplicationError.of_fields(errors)
    return drawn


def _description(wanted: QuestionsWanted, levels: str) -> str:
    """Stored, and therefore in English, like other datasets' descriptions."""
    splits = ", ".join(f"{count:,} in {split}" for split, count in counts_of(wanted.splits).items())
    return (
        "Questions about the countries of the world that need several pages of the corpora “The "
        "World Factbook” and “Wikipedia, summaries”, and at level 3 a file or several steps. "
        f"Levels {levels}, seed {wanted.seed}: {splits}. A country's name "
        "decides the split that it is asked about in, so no question is in two."
    )

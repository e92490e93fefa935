"""A new dataset of a game's episodes. The same game, options and seed give the same tasks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from pydantic import ValidationError

from apps.common.errors import ApplicationError, FieldError
from apps.tasks.making import MOST_TASKS, count_errors, counts_of, dataset_of
from apps.tasks.models import Dataset
from apps.tasks.progress import Tell, nobody
from workers.core.benchmarks.games.base import Game, GameOptions, NoBoard
from workers.core.benchmarks.games.episodes import episodes
from workers.core.specs import TaskSpec


@dataclass(frozen=True, slots=True)
class Wanted:
    """`splits`: how many episodes each gets. `options`: the game's; the default of each that is
    missing."""

    splits: Mapping[str, int]
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0


def dataset_of_episodes(
    *, game: Game, key: str, wanted: Wanted, name: str = "", tell: Tell = nobody
) -> Dataset:
    """If it raises ApplicationError, or what `tell` raises, nothing has changed."""
    options = _checked(game, wanted)
    return dataset_of(
        _drawn(game, options, wanted, tell),
        key=key,
        name=name or f"{game.name}, {options.label()}",
        description=_description(game, options, wanted),
        source=f"drawn with seed {wanted.seed}",
        benchmark=game.key,
        tell=tell,
    )


def _checked(game: Game, wanted: Wanted) -> GameOptions:
    errors = count_errors(wanted.splits)
    if (count := sum(wanted.splits.values())) > MOST_TASKS:
        message = _(
            "This asks for %(count)s episodes; at most %(at_most)s are made at once. Ask for fewer."
        ) % {"count": f"{count:,}", "at_most": f"{MOST_TASKS:,}"}
        errors.append(FieldError("splits", "too_many_tasks", message))
    try:
        options = game.options.model_validate(dict(wanted.options))
    except ValidationError as error:
        told = error.errors(include_url=False, include_input=False)
        errors += [
            FieldError(".".join(["options", *map(str, each["loc"])]), each["type"], each["msg"])
            for each in told
        ]
    if errors:
        raise ApplicationError.of_fields(errors)
    return options


def _drawn(
    game: Game, options: GameOptions, wanted: Wanted, tell: Tell
) -> dict[str, list[TaskSpec]]:
    """The tasks of each split. Tries all splits, so that all errors are reported at once."""
    counts = counts_of(wanted.splits)
    drawn: dict[str, list[TaskSpec]] = {split: [] for split in counts}
    errors: list[FieldError] = []
    for split, count in counts.items():
        try:
            for task in episodes(game, options, split=split, count=count, seed=wanted.seed):
                drawn[split].append(task)
                tell("composing", sum(map(len, drawn.values())), sum(counts.values()))
        except NoBoard as error:
            errors.append(FieldError(f"splits.{split}", "no_board", str(error)))
    if errors:
        raise ApplicationError.of_fields(errors)
    return drawn


def _description(game: Game, options: GameOptions, wanted: Wanted) -> str:
    """Stored, and therefore in English, like other datasets' descriptions."""
    chosen = ", ".join(f"{name} {value}" for name, value in options.model_dump().items())
    splits = ", ".join(f"{count:,} in {split}" for split, count in counts_of(wanted.splits).items())
    return (
        f"{game.description} Boards drawn with {chosen}, seed {wanted.seed}: {splits}. A board's "
        "text decides its split, so no board is in two splits, whatever the seed."
    )

"""An evaluation in this process, watched from its terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable

from apps.common.progress import Progress
from apps.evaluations.models import Evaluation
from apps.evaluations.selectors import evaluation_row
from workers.tasks.evaluation import drive


def drive_here(evaluation: Evaluation) -> None:
    """To its end, or to where it stops; `evaluation` tells which."""
    draw = watch(evaluation)
    drive(evaluation.id, lambda: draw(False))
    draw(True)
    evaluation.refresh_from_db()


def watch(evaluation: Evaluation) -> Callable[[bool], None]:
    """Draws how far it is; True for the last time."""
    progress = Progress(evaluation.total, sys.stderr)

    def draw(last: bool) -> None:
        row = evaluation_row(evaluation.id)
        progress.draw(row["done"], row["eta_seconds"], last=last)

    return draw


def stopped(evaluation: Evaluation, again: str) -> str:
    cause = evaluation.failure or {}
    told = f" {cause.get('message', '')} {cause.get('remedy', '')}".rstrip()
    return f"The evaluation {evaluation.status}.{told}\n{again}"


def left(again: str, *, inline: bool) -> str:
    """After Ctrl-C."""
    if not inline:
        return f"Workers go on with the evaluation. To watch it again:\n{again}"
    return (
        "This process has left the evaluation. Nothing that is recorded is lost, and workers that "
        f"are up take over. To go on here:\n{again} --inline"
    )

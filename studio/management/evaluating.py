"""Runs an evaluation in this process and shows it in the terminal."""

import sys
from collections.abc import Callable

from apps.common.progress import Progress
from apps.evaluations.models import Evaluation
from apps.evaluations.selectors import evaluation_row
from workers.tasks.evaluation import drive


def drive_here(evaluation: Evaluation) -> None:
    """Run it to its end, or until it stops. `evaluation` then says which."""
    draw = watch(evaluation)
    drive(evaluation.id, lambda: draw(False))
    draw(True)
    evaluation.refresh_from_db()


def watch(evaluation: Evaluation) -> Callable[[bool], None]:
    """Shows the evaluation's progress. Call it with True for the last time."""
    progress = Progress(evaluation.total, sys.stderr)

    def draw(last: bool) -> None:
        row = evaluation_row(evaluation.id)
        progress.draw(row["done"], row["eta_seconds"], last=last)

    return draw


def stopped(evaluation: Evaluation, again: str) -> str:
    cause = evaluation.failure or {}
    told = f" {cause.get('message', '')} {cause.get('remedy', '')}".rstrip()
    return f"The evaluation's status is “{evaluation.status}”.{told}\nTo continue: {again}"


def left(again: str, *, inline: bool) -> str:
    """What the terminal says after Ctrl-C."""
    if not inline:
        return f"Workers continue the evaluation. To watch it again:\n{again}"
    return (
        "This process left the evaluation. No recorded answer is lost, and running workers "
        "continue it. To continue here:\n"
        f"{again} --inline"
    )

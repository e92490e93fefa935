"""Chooses tasks for all learning methods: those of a step, and those held out."""

import hashlib
import itertools
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from workers.core.benchmarks.sameness import query_hashes, task_hashes
from workers.core.checkpoints import read_info
from workers.core.errors import MethodError
from workers.core.intervals import wilson
from workers.core.specs import TaskSpec

HELD_OUT_DRAW = 1
"""Added to the job's seed, so held-out tasks are drawn independently of the order of the others."""


def require_tasks(tasks: Sequence[TaskSpec]) -> None:
    """Raises MethodError if there are none."""
    if not tasks:
        raise MethodError(
            code="no_tasks",
            message="The split has no tasks to train on.",
            remedy="Choose a dataset whose split has tasks.",
        )


def task_indices(count: int, step: int, *, per_step: int, seed: int) -> tuple[int, ...]:
    """The tasks of a step, from 1. Each task comes once per epoch, in an order from the seed."""
    first = (step - 1) * per_step
    order = itertools.chain.from_iterable(
        np.random.default_rng([seed, epoch]).permutation(count)
        for epoch in range(first // count, (first + per_step - 1) // count + 1)
    )
    offset = first % count
    return tuple(int(i) for i in itertools.islice(order, offset, offset + per_step))


def split_tasks(
    count: int, held_out: int, *, seed: int, seen: Collection[int] = ()
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Indices to train on, in order, and held-out ones, none of which is in `seen`. Raises
    MethodError if there are too few for either."""
    if held_out >= count:
        raise MethodError(
            code="no_tasks",
            message=f"All {count} tasks are held out, so none is left to train on.",
            remedy="Lower held_out, or choose a split with more tasks.",
        )
    order = np.random.default_rng([seed, HELD_OUT_DRAW]).permutation(count).tolist()
    unseen = [index for index in order if index not in seen]
    if held_out > len(unseen):
        raise MethodError(
            code="too_few_unseen",
            message=(
                f"The training must hold out {held_out} tasks, but its first checkpoint has "
                f"learned from all but {len(unseen)} of the {count}."
            ),
            remedy=(
                f"Set held_out to {len(unseen)} or less, choose tasks that the checkpoint has not "
                "learned from, or start from an untrained policy."
            ),
        )
    kept_back = frozenset(unseen[:held_out])
    return tuple(sorted(frozenset(order) - kept_back)), tuple(sorted(kept_back))


def known_hashes(
    tasks: Sequence[TaskSpec], training: Collection[int], *starts: Path | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a checkpoint records about its tasks: `trained_on`, and those of them that it did not
    learn from, `held_out`. `training` are the indices of tasks to learn from, and `starts` the
    checkpoints that its weights began with."""
    known = trained_on(tasks, *starts)
    if any(map(from_the_unknown, starts)):
        return known, ()
    learned = learned_from(*starts)
    for index in training:
        learned |= task_hashes(tasks[index])
    return known, tuple(digest for digest in known if digest not in learned)


def trained_on(tasks: Sequence[TaskSpec], *starts: Path | None) -> tuple[str, ...]:
    """Hashes of the tasks of this training, of the problems that they are composed of, and of all
    earlier trainings of this policy: it has seen them all."""
    hashes = {digest for task in tasks for digest in task_hashes(task)}
    for start in starts:
        if start is not None:
            hashes.update(read_info(start).trained_on)
    return tuple(sorted(hashes))


def learned_from(*starts: Path | None) -> set[str]:
    """Hashes of the tasks that the checkpoints' weights have learned from, also in earlier
    trainings."""
    infos = [read_info(start) for start in starts if start is not None]
    return {digest for info in infos for digest in {*info.trained_on} - {*info.held_out}}


def from_the_unknown(start_from: Path | None) -> bool:
    """Whether the tasks that the weights have learned from are unknown."""
    if start_from is None:
        return False
    info = read_info(start_from)
    return info.trained and not info.trained_on


def indices_of(tasks: Sequence[TaskSpec], hashes: set[str]) -> frozenset[int]:
    """Indices of tasks whose whole query is among the hashes: all composed tasks share problems."""
    if not hashes:
        return frozenset()
    return frozenset(index for index, task in enumerate(tasks) if query_hashes(task.query) & hashes)


def task_digest(tasks: Sequence[TaskSpec]) -> str:
    """64 hex digits that change with any task."""
    digest = hashlib.sha256()
    for task in tasks:
        digest.update(task.model_dump_json().encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def share_metrics(name: str, right: Sequence[bool]) -> dict[str, float]:
    """The share of right answers, one answer per task, how many those are, and the bounds of its
    95% interval: `name`, `name/n`, `name/low`, `name/high`. Needs at least one task."""
    metrics = {name: sum(right) / len(right), f"{name}/n": float(len(right))}
    if interval := wilson(sum(right), len(right)):
        metrics |= {f"{name}/low": interval.low, f"{name}/high": interval.high}
    return metrics

"""What a reader of the numbers should know before believing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from apps.evaluations.plan import EvaluationPlan
from apps.tasks.models import Task
from apps.training.folders import checkpoint_folder
from apps.training.models import Checkpoint
from workers.core.checkpoints import CheckpointError, read_info
from workers.core.evaluation.leak import find_leaks

Notice = dict[str, str | None]
"""`{code, message, arm}`; `arm` None: it concerns all arms."""


def plan_notices(plan: EvaluationPlan) -> list[Notice]:
    found = [_untested(plan.tasks)]
    queries = {str(task.pk): task.query for task in plan.tasks}
    seen: dict[str, Notice | None] = {}
    for arm in plan.arms:
        checkpoint = arm.checkpoint or _default_checkpoint(arm.run.method)
        if checkpoint not in seen:
            seen[checkpoint] = _leak(checkpoint, queries)
        leak = seen[checkpoint]
        found.append({**leak, "arm": arm.label} if leak else None)
    return [warning for warning in found if warning is not None]


def _untested(tasks: Sequence[Task]) -> Notice | None:
    count = sum(not task.verifier for task in tasks)
    if not count:
        return None
    message = (
        f"{count:,} of {len(tasks):,} tasks have no verifier: their answers are not judged and "
        "count in no accuracy."
    )
    return {"code": "no_verifier", "message": message, "arm": None}


def _default_checkpoint(method: str) -> str:
    """What an arm uses that names none; "" where the method has no default."""
    default = Checkpoint.objects.filter(method=method, is_default=True)
    return default.values_list("name", flat=True).first() or ""


def _leak(checkpoint: str, queries: dict[str, str]) -> Notice | None:
    lineage = list(_lineage(checkpoint))
    training, where = _training_queries(lineage)
    leak = find_leaks(queries, training, _training_hashes(lineage))
    if not leak.tasks:
        return None
    near = f", {len(leak.near):,} of them nearly so" if leak.near else ""
    message = (
        f"{len(leak.tasks):,} of {len(queries):,} tasks are in {where}{near}, on which the "
        f"checkpoint “{checkpoint}” was trained. Its accuracy here says little about new tasks."
    )
    return {"code": "trained_on_tasks", "message": message, "arm": None}


def _training_queries(lineage: Sequence[Checkpoint]) -> tuple[list[str], str]:
    """The queries of all splits that a checkpoint and its ancestors were trained on, and where."""
    splits = dict.fromkeys(_split_of(checkpoint) for checkpoint in lineage)
    queries: list[str] = []
    for dataset, split in splits:
        tasks = Task.objects.filter(dataset__key=dataset, split=split)
        queries += tasks.values_list("query", flat=True)
    named = " and ".join(f"{dataset}/{split}" for dataset, split in splits if dataset)
    return queries, named or "its training data"


def _training_hashes(lineage: Sequence[Checkpoint]) -> set[str]:
    """Of the queries, as the checkpoints themselves tell: one from elsewhere was trained on tasks
    that are not here by that name. A folder that is gone tells nothing."""
    hashes: set[str] = set()
    for checkpoint in lineage:
        with suppress(CheckpointError):
            hashes.update(read_info(checkpoint_folder(checkpoint.name)).trained_on)
    return hashes


def _lineage(name: str) -> Iterator[Checkpoint]:
    """The checkpoint, the one that its training started from, and so on, as far as they exist."""
    seen: set[str] = set()
    while name and name not in seen:
        seen.add(name)
        found = Checkpoint.objects.filter(name=name).select_related("job__dataset").first()
        if found is None:
            return
        yield found
        name = found.job.start_from if found.job else str(found.recipe.get("start_from") or "")


def _split_of(checkpoint: Checkpoint) -> tuple[str, str]:
    """By its job, or else by its recipe."""
    job, recipe = checkpoint.job, checkpoint.recipe
    if job is not None and job.dataset is not None:
        return job.dataset.key, job.split
    return str(recipe.get("dataset", "")), str(recipe.get("split", ""))

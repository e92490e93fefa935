"""What readers should know about the numbers before they trust them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from django.db.models import Count

from apps.checkpoints.folders import checkpoint_folder
from apps.checkpoints.models import Checkpoint
from apps.evaluations.cuts import CODE as CUT_ANSWERS
from apps.evaluations.cuts import Notice, cut_notices
from apps.evaluations.models import Evaluation
from apps.evaluations.outcomes import unanswered
from apps.evaluations.plan import ArmPlan, EvaluationPlan
from apps.setups.learning import named_checkpoints
from apps.tasks.models import Task
from workers.core.benchmarks.compositional import TASK_GRAPH, base_problems
from workers.core.checkpoints import CheckpointError, read_info
from workers.core.evaluation.leak import CHARS, LeakIndex

UNANSWERED = "unanswered"


def plan_notices(plan: EvaluationPlan) -> list[Notice]:
    found = [_untested(plan.tasks), *(_limited(arm, plan.reply_tokens) for arm in plan.arms)]
    used = {arm.label: arm.run.checkpoint for arm in plan.arms}
    leaks = _leaks(set(used.values()) - {""}, plan.tasks)
    found += [{**leaks[name], "arm": label} for label, name in used.items() if name in leaks]
    return [warning for warning in found if warning is not None]


def end_notices(evaluation: Evaluation) -> list[Notice]:
    """Warnings for an ended evaluation: which answers were cut, and which the endpoint did not
    give."""
    counts = unanswered(evaluation).values("arm__label").annotate(count=Count("pk"))
    return cut_notices(evaluation) + [
        {
            "code": UNANSWERED,
            "message": f"Answers of “{label}” that the endpoint did not give: {count:,}. They "
            "count as wrong. Resume the evaluation to ask for them again.",
            "arm": label,
        }
        for label, count in counts.order_by("arm__index").values_list("arm__label", "count")
    ]


def without_end_notices(notices: list[Notice]) -> list[Notice]:
    """For an evaluation that continues: its end finds them again."""
    return [notice for notice in notices if notice.get("code") not in (CUT_ANSWERS, UNANSWERED)]


def _limited(arm: ArmPlan, reply_tokens: int) -> Notice | None:
    """A context that is too short for the limit of one reply, which is `reply_tokens` for all
    arms."""
    endpoint = arm.run.run_endpoint
    allowed = arm.reply_tokens or reply_tokens
    most = endpoint.spec().most_reply_tokens
    if allowed <= most:
        return None
    message = (
        f"A reply of “{arm.label}” can have only {most:,} tokens instead of {allowed:,}, because "
        f"half of the context of the endpoint “{endpoint.key}” is the limit. Enter a longer "
        "context there if its server has one."
    )
    return {"code": "reply_limited_by_context", "message": message, "arm": arm.label}


def _leaks(checkpoints: set[str], tasks: Sequence[Task]) -> dict[str, Notice]:
    """Warnings by checkpoint. Together they read no more text than one alone may."""
    if not checkpoints:
        return {}
    index = LeakIndex(
        {str(task.pk): task.query for task in tasks},
        parts={
            str(task.pk): base_problems(task.query, task.metadata.get(TASK_GRAPH)) for task in tasks
        },
    )
    chars = CHARS // len(checkpoints)
    found = {name: _leak(name, index, len(tasks), chars) for name in sorted(checkpoints)}
    return {name: leak for name, leak in found.items() if leak is not None}


def _untested(tasks: Sequence[Task]) -> Notice | None:
    count = sum(not task.verifier for task in tasks)
    if not count:
        return None
    message = (
        f"{count:,} of {len(tasks):,} tasks have no verifier. Their answers are not judged and do "
        "not count in any accuracy."
    )
    return {"code": "no_verifier", "message": message, "arm": None}


def _leak(checkpoint: str, index: LeakIndex, count: int, chars: int) -> Notice | None:
    lineage = list(_lineage(checkpoint))
    splits = dict.fromkeys(_split_of(ancestor) for ancestor in lineage)
    named = " and ".join(f"{dataset}/{split}" for dataset, split in splits if dataset)
    where = named or "its training data"
    leak = index.find(_training_queries(splits), _training_hashes(lineage), chars=chars)
    part = "" if leak.whole else " Only a part was compared, so there may be more."
    if not leak.tasks:
        return None if leak.whole else _unchecked(checkpoint, where)
    near = f", {len(leak.near):,} of them nearly the same" if leak.near else ""
    parts = (
        f", {len(leak.parts):,} of them with a problem that they are composed of"
        if leak.parts
        else ""
    )
    message = (
        f"{len(leak.tasks):,} of {count:,} tasks are in {where}{near}{parts}. The checkpoint "
        f"“{checkpoint}” was trained or chosen on these data, so its accuracy here says little "
        f"about new tasks.{part}"
    )
    return {"code": "trained_on_tasks", "message": message, "arm": None}


def _unchecked(checkpoint: str, where: str) -> Notice:
    message = (
        f"Not all tasks could be compared with {where}, which the checkpoint “{checkpoint}” was "
        "trained on, because there is too much text. The compared tasks are not among them."
    )
    return {"code": "leak_check_partial", "message": message, "arm": None}


def _training_queries(splits: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Queries of all splits that a checkpoint and its ancestors were trained on, never all in
    memory; for a composed task, its problems."""
    for dataset, split in splits:
        tasks = Task.objects.filter(dataset__key=dataset, split=split).order_by("index")
        stored = tasks.values_list("query", f"metadata__{TASK_GRAPH}")
        for query, task_graph in stored.iterator(chunk_size=1_000):
            yield from base_problems(query, task_graph) or (query,)


def _training_hashes(lineage: Sequence[Checkpoint]) -> set[str]:
    """Hashes of the queries, as the checkpoints themselves list them: a checkpoint from elsewhere
    was trained on tasks that are not here under that name. A missing folder lists nothing."""
    hashes: set[str] = set()
    for checkpoint in lineage:
        with suppress(CheckpointError):
            hashes.update(read_info(checkpoint_folder(checkpoint.name)).trained_on)
    return hashes


def _lineage(name: str) -> Iterator[Checkpoint]:
    """The checkpoint, those that its training started from or was rewarded by, and so on, as far as
    they exist."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        name = waiting.pop(0)
        if not name or name in seen:
            continue
        seen.add(name)
        found = Checkpoint.objects.filter(name=name).select_related("job__dataset").first()
        if found is not None:
            yield found
            waiting += _learned_from(found)


def _learned_from(checkpoint: Checkpoint) -> tuple[str, ...]:
    """From its job, or else from its recipe."""
    job, recipe = checkpoint.job, checkpoint.recipe
    if job is not None:
        return (job.start_from, *named_checkpoints(job.method, job.config))
    began = str(recipe.get("start_from") or "")
    return (began, *named_checkpoints(checkpoint.method, recipe.get("config")))


def _split_of(checkpoint: Checkpoint) -> tuple[str, str]:
    """From its job, or else from its recipe."""
    job, recipe = checkpoint.job, checkpoint.recipe
    if job is not None and job.dataset is not None:
        return job.dataset.key, job.split
    return str(recipe.get("dataset", "")), str(recipe.get("split", ""))

"""Graphs that an evaluation's arms built, for a comparison of M with M− and M+."""

from pydantic import ValidationError

from apps.evaluations.models import Evaluation, EvaluationArm, EvaluationResult
from apps.evaluations.services import cell_seed
from apps.runs.models import RunEvent
from apps.runs.selectors import run_spec
from workers.core.evaluation.structure_trial import Subject
from workers.core.events import RunFinished
from workers.core.specs import EndpointSpec


def arms_with_graphs(evaluation: Evaluation) -> list[EvaluationArm]:
    """Arms that choose roles from a pool, which M+ takes one more role from."""
    return list(evaluation.arms.filter(pool_version__isnull=False).order_by("index"))


def trial_subjects(arm: EvaluationArm, *, tasks: int, seed: int) -> list[Subject]:
    """Graphs of the first repeat, of `tasks` tasks that the seed draws. These are the same tasks
    for all arms, as far as each has a graph for them. Each graph runs on the arm's endpoint as it
    is set up now."""
    answered = EvaluationResult.objects.filter(
        arm=arm, repeat=0, recorded_at__isnull=False, failed=False, run__agent_count__gte=1
    )
    drawn = sorted(
        answered.values_list("pk", "task__index"), key=lambda row: cell_seed(seed, row[1], 0)
    )
    chosen = [pk for pk, _ in drawn[:tasks]]
    cells = answered.filter(pk__in=chosen).select_related("run__pool_version", "task")
    subjects = [_subject(arm, cell) for cell in cells.order_by("task__index")]
    return [subject for subject in subjects if subject is not None]


def _subject(arm: EvaluationArm, cell: EvaluationResult) -> Subject | None:
    """None: the trace no longer exists, or an older version wrote it in another form."""
    run = cell.run
    if run is None:
        return None
    ends = RunEvent.objects.filter(run=run, attempt=run.attempt, kind="run_finished")
    try:
        end = RunFinished.model_validate(ends.values_list("payload", flat=True).first())
    except ValidationError:
        return None
    endpoint = EndpointSpec.model_validate(arm.endpoint_spec)
    spec = run_spec(run).model_copy(update={"endpoint": endpoint})
    summary = RunEvent.objects.filter(
        run=run, attempt=run.attempt, kind="agent_started", payload__summary=True
    ).exists()
    return Subject(task=f"{cell.task.index:06}", graph=end.graph, spec=spec, summary=summary)

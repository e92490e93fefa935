"""What an ended run leaves in its cell."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now

from apps.evaluations.models import Evaluation, EvaluationArm, EvaluationResult
from apps.runs.models import Run, RunEvent
from workers.core.errors import Failure
from workers.core.llm.wire import cost
from workers.core.specs import EndpointSpec

ENDPOINT_AWAY = frozenset(
    {
        *("address_refused", "api_key_env_refused", "missing_api_key", "forbidden", "unauthorized"),
        *("connection_failed", "connection_lost", "connection_refused", "dns_failed", "tls_failed"),
        *("timeout", "redirected", "not_found", "model_not_found", "garbage_reply"),
        *("server_error", "quota_exceeded", "rate_limited"),
    }
)
"""Failures of a run that come from the endpoint, whatever the question."""

USED = ("prompt_tokens", "completion_tokens", "seconds", "replies", "cut_replies", "final_cut")
VERDICT = {
    **dict.fromkeys(("failure", "correct", "reward", "answer", "cost", *USED)),
    **dict.fromkeys(("cached_share", "own_temperature")),
    "failed": False,
    "explanation": "",
}
"""The columns that a run fills, as they are before it does."""

RECORDED = ("recorded_at", *VERDICT)


def record(results: Sequence[EvaluationResult]) -> None:
    """Records ended runs in their cells."""
    runs = [result.run for result in results if result.run is not None]
    explanations, shares, own = _explanations(runs), _cached_shares(runs), _own_temperature(runs)
    for result in results:
        if result.run is not None:
            _fill(result, result.run, explanations.get(result.run.pk, ""))
            result.cached_share = shares.get(result.run.pk)
            result.own_temperature = own.get(result.run.pk)
    EvaluationResult.objects.bulk_update(results, RECORDED, batch_size=500)


def forget(results: Iterable[EvaluationResult]) -> None:
    """Makes the cells wait again, as if they had never been started."""
    ids = [result.pk for result in results]
    EvaluationResult.objects.filter(pk__in=ids).update(run=None, recorded_at=None, **VERDICT)


def unanswered(evaluation: Evaluation) -> QuerySet[EvaluationResult]:
    """Cells that failed because of their endpoint, which says nothing about their arm."""
    return evaluation.results.filter(failed=True, failure__code__in=ENDPOINT_AWAY)


def failure_of(run: Run) -> dict[str, str] | None:
    if run.status == Run.Status.FAILED:
        return run.failure or {}
    if run.status != Run.Status.CANCELLED:
        return None
    by = run.cancel_requested_by or "Someone"
    return Failure(
        code="run_cancelled", message=f"{by} cancelled this run.", remedy="Evaluate again."
    ).model_dump()


def list_price(arm: EvaluationArm, run: Run) -> float | None:
    """USD by the endpoint's prices, not what was paid: an answer from the cache costs nothing, so
    the arm that asks first would look more expensive than the others."""
    spec = EndpointSpec.model_validate(arm.endpoint_spec)
    return cost(spec, run.prompt_tokens, run.completion_tokens)


def _fill(result: EvaluationResult, run: Run, explanation: str) -> None:
    result.failure = failure_of(run)
    result.failed = result.failure is not None
    judged = bool(result.task.spec.get("verifier"))
    result.correct = (False if judged else None) if result.failed else run.correct
    result.reward = run.reward
    result.explanation = explanation
    result.answer = run.answer
    for name in USED:
        setattr(result, name, getattr(run, name))
    result.cost = list_price(result.arm, run)
    result.recorded_at = Now()


def _cached_shares(runs: Sequence[Run]) -> dict[UUID, float]:
    """Share of the calls of each run's last attempt. Events of old versions show only whether all
    calls of an agent came from the cache. An agent that took over another's message made no
    call."""
    calls: dict[UUID, list[int]] = defaultdict(lambda: [0, 0])
    last = {run.pk: run.attempt for run in runs}
    told = ("payload__calls", "payload__cached_calls", "payload__cached", "payload__reused")
    events = RunEvent.objects.filter(run__in=runs, kind="agent_finished")
    rows = events.values_list("run_id", "attempt", *told)
    for run_id, attempt, made, kept, cached, reused in rows:
        if attempt == last[run_id] and made and not reused:
            calls[run_id][0] += kept if kept is not None else made * bool(cached)
            calls[run_id][1] += made
    return {run_id: cached / made for run_id, (cached, made) in calls.items() if made}


def _own_temperature(runs: Sequence[Run]) -> dict[UUID, bool]:
    """Whether a server used its own temperature in the last attempt. Events of old versions do not
    say, so their runs are left out."""
    last, found = {run.pk: run.attempt for run in runs}, dict[UUID, bool]()
    events = RunEvent.objects.filter(
        run__in=runs, kind="agent_finished", payload__own_temperature__isnull=False
    )
    told = events.values_list("run_id", "attempt", "payload__own_temperature")
    for run_id, attempt, own in told:
        if attempt == last[run_id]:
            found[run_id] = found.get(run_id, False) or own
    return found


def _explanations(runs: Sequence[Run]) -> dict[object, str]:
    """The verifier's sentence for each run's last attempt."""
    events = RunEvent.objects.filter(run__in=runs, kind="answer_verified").order_by("attempt")
    rows = events.values_list("run_id", "payload__explanation")
    return {run_id: str(explanation or "") for run_id, explanation in rows}

"""A dataset of small sums, an endpoint, and evaluations whose runs nobody executes."""

from collections.abc import Callable
from typing import Any

import pytest
from celery import current_app
from django.db.models.functions import Now

from apps.accounts.models import User
from apps.evaluations.coordinator import advance
from apps.evaluations.models import Evaluation
from apps.evaluations.requests import ArmRequest, EvaluationRequest
from apps.evaluations.services import evaluation_create
from apps.llms.models import Endpoint
from apps.runs.models import Run
from apps.runs.tests.traces import tell
from apps.tasks.models import Dataset, Task

REFUSED = {
    "code": "connection_refused",
    "message": "Nothing listens at http://127.0.0.1:9/v1.",
    "remedy": "Start the server.",
}
SPENT = {"code": "budget_exceeded", "message": "Spent.", "remedy": "Raise it."}


@pytest.fixture
def endpoint(db: None) -> Endpoint:
    return Endpoint.objects.create(
        key="stub",
        name="Stub",
        base_url="http://127.0.0.1:9/v1",
        model="stub",
        prompt_price=1.0,
        completion_price=2.0,
        is_default=True,
        allow_private_address=True,
    )


def sums(split: str, **values: Any) -> Dataset:
    """Six tasks in one split."""
    dataset = Dataset.objects.create(key="sums", name="Sums", **values)
    Task.objects.bulk_create(
        Task(
            dataset=dataset,
            split=split,
            index=index,
            query=f"What is {index} + {index + 1}?",
            reference=str(2 * index + 1),
            verifier="numeric",
        )
        for index in range(6)
    )
    return dataset


@pytest.fixture
def dataset(db: None) -> Dataset:
    return sums("dev")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """(queue, id) of what is handed to the broker; nothing executes it."""
    messages: list[tuple[str, str]] = []

    def take(task: str, args: tuple[str], queue: str, **_: object) -> None:
        messages.append((queue, args[0]))

    monkeypatch.setattr(current_app, "send_task", take)
    return messages


MakeEvaluation = Callable[..., Evaluation]


@pytest.fixture
def make_evaluation(
    cast: dict[str, User], endpoint: Endpoint, dataset: Dataset, sent: list[tuple[str, str]]
) -> MakeEvaluation:
    def make(user: str = "operator", **values: Any) -> Evaluation:
        arms = (ArmRequest(method="direct"), ArmRequest(method="chain_of_thought"))
        asked: dict[str, Any] = {"dataset": "sums", "split": "dev", "arms": arms, **values}
        request = EvaluationRequest(**asked)
        return evaluation_create(user=cast[user], request=request).row

    return make


def end_run(run: Run, *, correct: bool | None = True, **values: Any) -> Run:
    """As a worker's sink would have left it."""
    filled: dict[str, Any] = {
        "status": "succeeded",
        "attempt": 1,
        "answer": "3",
        "correct": correct,
        "reward": None if correct is None else float(correct),
        "prompt_tokens": 80,
        "completion_tokens": 20,
        "cost": 0.0,
        "seconds": 0.5,
        **values,
    }
    Run.objects.filter(id=run.id).update(finished_at=Now(), **filled)
    if filled["status"] == "succeeded" and correct is not None:
        tell(run, "answer_verified", explanation=f"said {correct}")
    return run


def fail_run(run: Run, failure: dict[str, str] = REFUSED) -> Run:
    nothing = dict.fromkeys(("answer", "prompt_tokens", "completion_tokens"))
    return end_run(run, correct=None, status="failed", failure=failure, **nothing)


def under_way(evaluation: Evaluation) -> list[Run]:
    active = evaluation.runs.filter(status__in=("queued", "running"))
    return list(active.order_by("result__position"))


def one_round(evaluation: Evaluation, how: Callable[[Run], object] = end_run) -> None:
    """Cells are taken up, each ends as `how` has it, and is recorded."""
    advance(evaluation.id)
    for run in under_way(evaluation):
        how(run)
    advance(evaluation.id)
    evaluation.refresh_from_db()


@pytest.fixture
def ended(make_evaluation: MakeEvaluation) -> Evaluation:
    """`direct` is right on tasks 0–3, `chain_of_thought` on 2–4; it failed on 5."""

    def end(run: Run) -> None:
        index = run.result.task.index
        if run.method == "direct":
            end_run(run, correct=index < 4)
        elif index < 5:
            end_run(run, correct=index >= 2, completion_tokens=220)
        else:
            fail_run(run, SPENT)

    evaluation = make_evaluation(concurrency=12)
    one_round(evaluation, end)
    assert evaluation.status == "succeeded"
    return evaluation

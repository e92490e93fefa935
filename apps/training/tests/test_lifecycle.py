"""Claims, fences, the watchdog: no training is lost, none is two workers' at once."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from celery import current_app
from django.conf import settings as django_settings
from django.utils import timezone
from pytest_django import Settings
from redis import Redis

from apps.accounts.models import User
from apps.common.queue import TRAINING
from apps.common.tests.at_once import at_once
from apps.training import lifecycle
from apps.training.dispatch import training_enqueue
from apps.training.lifecycle import (
    Fenced,
    training_claim,
    training_end,
    training_fail,
    training_give_back,
    training_heartbeat,
    trainings_recover,
)
from apps.training.models import TrainingJob
from apps.training.records import metric_record
from apps.training.selectors import eta_seconds
from apps.training.services import training_cancel, training_resume
from apps.training.tests.conftest import MakeJob
from workers.core.errors import Failure
from workers.core.events import TrainingEnded, TrainingMetric
from workers.core.llm.spending import Spent
from workers.core.specs import Usage
from workers.core.testing.learner import Learner, LearnerConfig

Sent = list[tuple[str, str]]
NOTHING = Spent.zero()
CAUSE = Failure(code="c", message="m")


class _TwoKinds(LearnerConfig):
    def first_steps(self) -> int:
        return 2


def tell_step(job: TrainingJob, step: int, attempt: int = 1) -> None:
    event = TrainingMetric(step=step, values={"reward": 0.5})
    metric_record(job_id=job.id, attempt=attempt, event=event, spent=NOTHING)


def vanish(job: TrainingJob) -> None:
    """Its worker was heard of long ago."""
    ago = timezone.now() - timedelta(hours=1)
    TrainingJob.objects.filter(id=job.id).update(heartbeat_at=ago)


@pytest.mark.django_db
class TestClaim:
    def test_it_counts_attempts_and_keeps_the_first_start(self, make_running: MakeJob) -> None:
        job = make_running()
        assert (job.status, job.attempt, job.worker) == ("running", 1, "tests:1:aa")
        assert training_claim(job_id=job.id, worker="other") is None
        training_give_back(job_id=job.id, attempt=1)
        again = training_claim(job_id=job.id, worker="other")
        assert again is not None
        assert (again.attempt, again.started_at, again.worker) == (2, job.started_at, "other")

    def test_only_what_waits_is_taken(self, make_job: MakeJob) -> None:
        job = make_job()
        for status in ("running", "pausing", "paused"):
            TrainingJob.objects.update(status=status)
            assert training_claim(job_id=job.id, worker="w") is None
        assert training_claim(job_id=uuid4(), worker="w") is None


@pytest.mark.django_db(transaction=True)
def test_one_of_many_claims_succeeds(make_job: MakeJob) -> None:
    job = make_job()

    def claim(number: int) -> bool:
        return training_claim(job_id=job.id, worker=f"w{number}") is not None

    assert at_once(claim, 8).count(True) == 1


@pytest.mark.django_db
class TestFence:
    @pytest.mark.parametrize(
        "write",
        [
            lambda job: tell_step(job, 1),
            lambda job: training_end(
                job_id=job.id, attempt=1, event=TrainingEnded(step=1, reason="completed")
            ),
            lambda job: training_fail(job_id=job.id, attempt=1, failure=CAUSE),
            lambda job: training_give_back(job_id=job.id, attempt=1),
            lambda job: training_heartbeat(job_id=job.id, attempt=1, spent=NOTHING),
        ],
    )
    def test_a_former_attempt_writes_nothing(self, make_running: MakeJob, write: Any) -> None:
        job = make_running()
        training_give_back(job_id=job.id, attempt=1)
        assert training_claim(job_id=job.id, worker="successor") is not None
        before = TrainingJob.objects.values().get(id=job.id)
        with pytest.raises(Fenced):
            write(job)
        assert TrainingJob.objects.values().get(id=job.id) == before
        assert job.metrics.count() == 0

    def test_a_step_told_twice_is_stored_once(self, make_running: MakeJob) -> None:
        job = make_running()
        for step in (1, 2, 2, 1):
            tell_step(job, step)
        assert list(job.metrics.values_list("step", flat=True)) == [1, 2]
        job.refresh_from_db()
        assert job.step == 2


@pytest.mark.django_db
class TestHeartbeat:
    def test_it_says_what_people_want(self, make_running: MakeJob) -> None:
        job = make_running()
        spent = Spent(Usage(prompt_tokens=30, completion_tokens=4, cost=0.5), 40, 0.75)
        assert training_heartbeat(job_id=job.id, attempt=1, spent=spent) is None
        job.refresh_from_db()
        assert (job.tokens, job.cost) == (34, 0.5)
        assert (job.charged_tokens, job.charged_cost) == (40, 0.75)
        TrainingJob.objects.update(status="pausing")
        assert training_heartbeat(job_id=job.id, attempt=1, spent=spent) == "paused"
        TrainingJob.objects.update(cancel_requested_at=timezone.now())
        assert training_heartbeat(job_id=job.id, attempt=1, spent=spent) == "cancelled"

    def test_a_step_under_way_counts_for_its_share_until_it_is_done(
        self, make_running: MakeJob
    ) -> None:
        job = make_running(config={"steps": 4})
        began = timezone.now() - timedelta(seconds=30)
        TrainingJob.objects.filter(id=job.id).update(going_since=began)
        training_heartbeat(job_id=job.id, attempt=1, spent=NOTHING, share=0.5)
        job.refresh_from_db()
        assert job.step_share == 0.5
        assert eta_seconds(job, began + timedelta(seconds=30)) == pytest.approx(30 / 0.5 * 3.5)
        tell_step(job, 1)
        job.refresh_from_db()
        assert (job.step, job.step_share) == (1, 0)

    def test_first_steps_of_another_kind_say_nothing_about_the_time_left(
        self, make_running: MakeJob, learner: Learner, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(learner, "training_schema", _TwoKinds)
        job = make_running(config={"steps": 6})
        turned = timezone.now()
        for step, at in ((1, -9), (2, 0), (3, 40)):
            tell_step(job, step)
            job.metrics.filter(step=step).update(at=turned + timedelta(seconds=at))
            job.refresh_from_db()
            left = eta_seconds(job, turned + timedelta(seconds=at))
            assert left == (pytest.approx(40 * 3) if step == 3 else None)

    def test_unknown_usage_is_unknown_but_for_the_limit(self, make_running: MakeJob) -> None:
        job = make_running()
        spent = Spent(Usage(prompt_tokens=3), 40, 0.75)
        training_heartbeat(job_id=job.id, attempt=1, spent=spent)
        job.refresh_from_db()
        assert (job.tokens, job.cost) == (None, None)
        assert (job.charged_tokens, job.charged_cost) == (40, 0.75)


@pytest.mark.django_db
class TestEnd:
    @pytest.mark.parametrize(
        ("reason", "status", "end_reason"),
        [
            ("completed", "succeeded", "completed"),
            ("budget", "succeeded", "budget"),
            ("paused", "paused", ""),
            ("cancelled", "cancelled", ""),
        ],
    )
    def test_by_reason(
        self, make_running: MakeJob, reason: Any, status: str, end_reason: str
    ) -> None:
        job = make_running()
        training_end(job_id=job.id, attempt=1, event=TrainingEnded(step=4, reason=reason))
        job.refresh_from_db()
        assert (job.status, job.end_reason, job.step) == (status, end_reason, 4)
        assert (job.finished_at is None) == (status == "paused")

    def test_a_pause_that_became_a_cancellation(self, make_running: MakeJob) -> None:
        job = make_running()
        TrainingJob.objects.update(status="pausing", cancel_requested_at=timezone.now())
        training_end(job_id=job.id, attempt=1, event=TrainingEnded(step=4, reason="paused"))
        job.refresh_from_db()
        assert job.status == "cancelled"


@pytest.mark.django_db
class TestWatchdog:
    def test_one_that_lives_is_left_alone(self, make_running: MakeJob) -> None:
        make_running()
        assert trainings_recover() == lifecycle.Recovery()

    def test_a_vanished_worker_s_job_is_queued_again(
        self, make_running: MakeJob, sent: Sent, django_capture_on_commit_callbacks: Any
    ) -> None:
        job = make_running()
        vanish(job)
        sent.clear()
        with django_capture_on_commit_callbacks(execute=True):
            assert trainings_recover().requeued == 1
        job.refresh_from_db()
        assert (job.status, job.lost, sent) == ("queued", 1, [("training", str(job.id))])
        (notice,) = job.notices
        assert notice["code"] == "worker_lost"
        assert "attempt 1" in notice["message"]

    def test_what_its_calls_may_have_taken_counts(self, make_running: MakeJob) -> None:
        job = make_running()
        TrainingJob.objects.update(
            charged_tokens=40, charged_cost=0.25, promised_tokens=1_640, promised_cost=2.0
        )
        vanish(job)
        trainings_recover()
        job.refresh_from_db()
        assert (job.charged_tokens, job.charged_cost) == (1_640, 2.0)
        assert "may have used 1,600 tokens" in job.notices[0]["message"]
        training_claim(job_id=job.id, worker="next")
        job.refresh_from_db()
        assert (job.charged_tokens, job.promised_tokens, job.promised_cost) == (1_640, 0, 0)

    def test_it_does_not_where_the_worker_told_what_they_took(self, make_running: MakeJob) -> None:
        job = make_running()
        TrainingJob.objects.update(charged_tokens=40, promised_tokens=1_640)
        training_give_back(job_id=job.id, attempt=1)
        job.refresh_from_db()
        assert job.charged_tokens == 40

    def test_three_in_a_row_without_a_step_are_enough(self, make_running: MakeJob) -> None:
        job = make_running()
        for _ in range(2):
            vanish(job)
            assert trainings_recover().requeued == 1
            training_claim(job_id=job.id, worker="next")
        vanish(job)
        assert trainings_recover().failed == 1
        job.refresh_from_db()
        assert job.failure is not None
        assert (job.status, job.failure["code"]) == ("failed", "worker_lost")
        assert job.failure["remedy"]

    def test_steps_in_between_allow_any_number(self, make_running: MakeJob) -> None:
        job = make_running()
        for attempt in range(1, 8):
            tell_step(job, attempt, attempt)
            vanish(job)
            assert trainings_recover().requeued == 1
            training_claim(job_id=job.id, worker="next")

    @pytest.mark.parametrize("given_back", [False, True])
    @pytest.mark.parametrize(
        ("wish", "status"),
        [
            ({"status": "pausing", "pause_requested_at": timezone.now()}, "paused"),
            ({"cancel_requested_at": timezone.now()}, "cancelled"),
        ],
    )
    def test_what_people_wanted_meanwhile_happens(
        self, make_running: MakeJob, given_back: bool, wish: dict[str, Any], status: str
    ) -> None:
        job = make_running()
        TrainingJob.objects.update(**wish)
        if given_back:
            training_give_back(job_id=job.id, attempt=1)
        else:
            vanish(job)
            assert trainings_recover().stopped == 1
        job.refresh_from_db()
        assert job.status == status

    def test_what_the_broker_forgot_is_sent_again(
        self, make_job: MakeJob, sent: Sent, settings: Settings
    ) -> None:
        broker = Redis.from_url(django_settings.CELERY_BROKER_URL)
        broker.delete(TRAINING)
        jobs = [make_job(), make_job()]
        sent.clear()
        assert trainings_recover().enqueued == 0  # just sent: the message may be under way
        settings.RUN_LOST_AFTER_SECONDS = 0.0
        broker.rpush(TRAINING, "one message for two jobs")
        try:
            assert trainings_recover().enqueued == 1
        finally:
            broker.delete(TRAINING)
        assert sent == [("training", str(jobs[0].id))]


def test_a_broker_that_is_away_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(current_app, "send_task", away)
    assert not training_enqueue(uuid4())


@pytest.mark.django_db
def test_a_lost_one_that_cannot_be_recovered_holds_up_no_other(make_running: MakeJob) -> None:
    broken, other = make_running(), make_running()
    for job in (broken, other):  # in the order of their heartbeats
        vanish(job)
    TrainingJob.objects.filter(id=broken.id).update(notices=7)
    found = trainings_recover()
    assert (found.failed, found.requeued) == (1, 1)
    other.refresh_from_db()
    broken.refresh_from_db()
    assert (other.status, broken.status) == ("queued", "failed")
    failure = broken.failure or {}
    assert failure["code"] == "not_recoverable"
    assert failure["message"].endswith("could take it over (TypeError).")


@pytest.mark.django_db
class TestCancelledMeanwhile:
    def test_a_failure_ends_it_as_cancelled_and_stays_known(
        self, make_running: MakeJob, cast: dict[str, User]
    ) -> None:
        job = make_running()
        training_cancel(user=cast["operator"], job_id=job.id, as_admin=False)
        training_fail(job_id=job.id, attempt=1, failure=CAUSE)
        job.refresh_from_db()
        assert (job.status, job.failure) == ("cancelled", None)
        assert [(notice["code"], notice["message"]) for notice in job.notices] == [("c", "m")]

    def test_one_that_failed_before_goes_on_when_resumed(
        self, make_running: MakeJob, cast: dict[str, User]
    ) -> None:
        job = make_running()
        training_fail(job_id=job.id, attempt=1, failure=CAUSE)
        TrainingJob.objects.update(cancel_requested_at=timezone.now(), cancel_requested_by="x")
        training_resume(user=cast["operator"], job_id=job.id, as_admin=False)
        claimed = training_claim(job_id=job.id, worker="w")
        assert claimed is not None
        assert claimed.cancel_requested_by == ""
        assert training_heartbeat(job_id=job.id, attempt=2, spent=NOTHING) is None

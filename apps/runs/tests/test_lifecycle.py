"""Claims, lost workers, lost messages."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from apps.accounts.models import User
from apps.common.lifelines import folder, lifeline_hold
from apps.common.tests.at_once import at_once
from apps.runs import lifecycle
from apps.runs.lifecycle import run_claim, run_fail, run_give_back, runs_recover
from apps.runs.models import Run, RunEvent
from apps.runs.services import run_cancel
from workers.core.errors import Failure

pytestmark = pytest.mark.django_db

MakeRun = Callable[..., Run]
STOPPED = Failure(code="worker_stopped", message="Stopped.")


def kinds(run: Run) -> list[tuple[int, int, str]]:
    return list(run.events.order_by("attempt", "seq").values_list("attempt", "seq", "kind"))


def claimed(run: Run, worker: str = "w1") -> Run:
    found = run_claim(run_id=run.id, worker=worker)
    assert found is not None
    return found


def test_a_claim_raises_the_attempt_and_names_the_worker(make_run: MakeRun) -> None:
    run = claimed(make_run())
    assert (run.status, run.attempt, run.worker) == ("running", 1, "w1")
    assert run.heartbeat_at is not None
    assert run_claim(run_id=run.id, worker="w2") is None


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_one_gets_the_run(make_run: MakeRun) -> None:
    run = make_run()

    def claim(number: int) -> Run | None:
        return run_claim(run_id=run.id, worker=f"w{number}")

    claims = [claimed for claimed in at_once(claim, 16) if claimed]
    assert len(claims) == 1
    run.refresh_from_db()
    assert (run.attempt, run.worker) == (1, claims[0].worker)


@pytest.mark.usefixtures("quick_watchdog")
class TestLostWorker:
    def test_the_run_is_queued_again_and_the_trace_says_so(self, make_run: MakeRun) -> None:
        run = claimed(make_run())
        assert runs_recover().requeued == 1
        run.refresh_from_db()
        assert (run.status, run.attempt, run.worker, run.heartbeat_at) == ("queued", 1, "", None)
        assert kinds(run) == [(1, 1, "attempt_lost")]
        assert run.events.get().payload["will_retry"] is True
        assert runs_recover().requeued == 0, "a second watchdog finds nothing"
        assert len(kinds(run)) == 1

    def test_the_third_loss_fails_the_run_with_its_cause(self, make_run: MakeRun) -> None:
        run = make_run()
        for attempt in (1, 2, 3):
            assert claimed(run, f"w{attempt}").attempt == attempt
            runs_recover()
        run.refresh_from_db()
        failure = run.failure or {}
        assert (run.status, failure["code"]) == ("failed", "worker_lost")
        assert "w3" in failure["message"]
        lost = [(attempt, 1, "attempt_lost") for attempt in (1, 2, 3)]
        assert kinds(run) == [*lost, (3, 2, "run_failed")]
        assert run_claim(run_id=run.id, worker="w4") is None

    def test_with_a_cancellation_it_is_cancelled_instead(
        self, cast: dict[str, User], make_run: MakeRun
    ) -> None:
        run = claimed(make_run())
        run_cancel(user=cast["operator"], run_id=run.id, as_admin=False)
        assert runs_recover().cancelled == 1
        run.refresh_from_db()
        assert run.status == "cancelled"
        assert kinds(run) == [(1, 1, "attempt_lost"), (1, 2, "run_cancelled")]

    def test_one_that_cannot_be_recovered_holds_up_no_other(self, make_run: MakeRun) -> None:
        broken, other = make_run(), make_run()
        for run in (broken, other):
            claimed(run)
        long_ago = timezone.now() - timedelta(hours=1)  # so that its turn is first
        Run.objects.filter(id=broken.id).update(heartbeat_at=long_ago)
        # No event can follow this one.
        RunEvent.objects.create(
            run=broken, attempt=1, seq=2**31 - 1, kind="x", payload={}, at=timezone.now()
        )
        found = runs_recover()
        assert (found.failed, found.requeued) == (1, 1)
        other.refresh_from_db()
        broken.refresh_from_db()
        assert (other.status, broken.status) == ("queued", "failed")
        assert (broken.failure or {})["code"] == "not_recoverable"
        assert runs_recover().failed == 0


def test_a_worker_with_a_heartbeat_is_left_alone(make_run: MakeRun) -> None:
    claimed(make_run())
    assert runs_recover() == lifecycle.Recovery()


class TestGivenBack:
    def test_it_does_not_count_as_a_try(self, make_run: MakeRun) -> None:
        run = make_run()
        for attempt in range(1, 6):
            claimed(run)
            assert run_give_back(run_id=run.id, attempt=attempt, reason=STOPPED)
        run.refresh_from_db()
        assert (run.status, run.attempt, run.max_attempts) == ("queued", 5, 8)

    def test_only_who_holds_the_run_can_give_it_back(self, make_run: MakeRun) -> None:
        run = claimed(make_run())
        assert not run_give_back(run_id=run.id, attempt=2, reason=STOPPED)
        assert run_give_back(run_id=run.id, attempt=1, reason=STOPPED)
        assert not run_give_back(run_id=run.id, attempt=1, reason=STOPPED)

    def test_a_run_that_cannot_begin_fails_with_the_cause(self, make_run: MakeRun) -> None:
        run = claimed(make_run())
        assert run_fail(run_id=run.id, attempt=1, failure=STOPPED)
        run.refresh_from_db()
        assert (run.status, kinds(run)) == ("failed", [(1, 1, "run_failed")])


class TestLostMessages:
    @pytest.fixture(autouse=True)
    def _broker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pending: int | None = 0
        monkeypatch.setattr(lifecycle, "pending_messages", lambda queue: self.pending)

    @pytest.mark.usefixtures("quick_watchdog")
    def test_as_many_as_are_missing_are_sent_again_oldest_first(
        self, make_run: MakeRun, sent: list[str]
    ) -> None:
        runs = [make_run() for _ in range(3)]
        sent.clear()
        self.pending = 1
        assert runs_recover().enqueued == 2
        assert sent == [str(runs[0].id), str(runs[1].id)]

    @pytest.mark.usefixtures("quick_watchdog")
    def test_nothing_is_sent_while_the_broker_is_away(
        self, make_run: MakeRun, sent: list[str]
    ) -> None:
        make_run()
        sent.clear()
        self.pending = None
        assert runs_recover().enqueued == 0

    def test_a_run_that_has_just_been_sent_is_waited_for(self, make_run: MakeRun) -> None:
        make_run()
        assert runs_recover().enqueued == 0

    def test_a_run_that_was_never_sent_is_sent(self, make_run: MakeRun, sent: list[str]) -> None:
        run = make_run()
        sent.clear()
        Run.objects.update(enqueued_at=None)
        assert runs_recover().enqueued == 1
        assert sent == [str(run.id)]
        run.refresh_from_db()
        assert run.enqueued_at is not None

    def test_a_queued_run_with_a_cancellation_ends(self, make_run: MakeRun) -> None:
        run = make_run()
        Run.objects.update(cancel_requested_at=Now(), cancel_requested_by="operator")
        assert runs_recover().cancelled == 1
        run.refresh_from_db()
        assert run.status == "cancelled"


class TestDeadWorkers:
    """A worker whose process has ended is known by its lock, before a heartbeat is missed."""

    @pytest.fixture(autouse=True)
    def _folder(self, settings: Any, tmp_path: Path) -> None:
        settings.DATA_DIR = tmp_path

    def test_its_runs_are_queued_again_at_once(self, make_run: MakeRun) -> None:
        descriptor = lifeline_hold("host:1:aa")
        assert descriptor is not None
        run = claimed(make_run(), "host:1:aa")
        assert runs_recover().requeued == 0
        os.close(descriptor)  # as the kernel does for a process that was killed
        assert runs_recover().requeued == 1
        run.refresh_from_db()
        assert run.status == "queued"
        lost = run.events.get(kind="attempt_lost").payload
        assert "its process has ended" in lost["failure"]["message"]
        assert list(folder().iterdir()) == []

    def test_a_worker_without_a_lock_here_is_waited_for(self, make_run: MakeRun) -> None:
        claimed(make_run(), "elsewhere:1:bb")
        assert runs_recover().requeued == 0

    def test_a_disk_that_refuses_the_lock_costs_nothing_but_time(
        self, tmp_path: Path, make_run: MakeRun
    ) -> None:
        (tmp_path / "workers").write_text("no folder")
        assert lifeline_hold("host:1:cc") is None
        assert runs_recover().requeued == 0

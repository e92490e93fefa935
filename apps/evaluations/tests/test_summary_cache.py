"""A summary that many ask for is worked out once, and soon enough anew."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection

from apps.common.tests.connections import connection_is_free
from apps.evaluations import summary_cache
from apps.evaluations.leaders import best_arms
from apps.evaluations.models import Evaluation
from apps.evaluations.summary_cache import summary_of
from apps.evaluations.tests.conftest import MakeEvaluation, one_round


class Work:
    """Counts; its summaries are numbered. `begun` and `go_on` hold it in the middle."""

    def __init__(self) -> None:
        self.count = 0
        self.begun, self.go_on = Event(), Event()
        self.go_on.set()

    def __call__(self) -> dict[str, Any]:
        self.count += 1
        self.begun.set()
        assert self.go_on.wait(20)
        return {"number": self.count}


@pytest.mark.django_db
class TestHowNewItIs:
    def test_while_it_runs_it_may_be_as_old_as_it_took_several_times(
        self, make_evaluation: MakeEvaluation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(summary_cache, "PAUSE", 10_000_000)
        evaluation, work = make_evaluation(concurrency=1), Work()
        one_round(evaluation)
        for _ in range(3):
            assert summary_of(evaluation, work) == {"number": 1}
            one_round(evaluation)
        cache.clear()
        monkeypatch.setattr(summary_cache, "PAUSE", 0)
        assert summary_of(evaluation, work) == {"number": 2}
        one_round(evaluation)
        assert summary_of(evaluation, work) == {"number": 3}

    def test_of_one_that_has_ended_it_is_of_the_last_answer(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation, work = make_evaluation(concurrency=1, limit=1), Work()
        one_round(evaluation)
        assert summary_of(evaluation, work) == {"number": 1}
        one_round(evaluation)
        assert evaluation.status == "succeeded"
        assert summary_of(evaluation, work) == {"number": 2}
        assert summary_of(evaluation, work) == {"number": 2}

    def test_who_fails_at_it_holds_up_nobody(self, make_evaluation: MakeEvaluation) -> None:
        evaluation = make_evaluation()

        def broken() -> dict[str, Any]:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            summary_of(evaluation, broken)
        began = time.monotonic()
        assert summary_of(evaluation, Work()) == {"number": 1}
        assert time.monotonic() - began < 5


@pytest.mark.django_db
class TestWithoutRedis:
    def test_everyone_works_out_their_own(
        self, make_evaluation: MakeEvaluation, redis_leaves: Callable[[], None]
    ) -> None:
        evaluation, work = make_evaluation(), Work()
        redis_leaves()
        assert [summary_of(evaluation, work)["number"] for _ in range(2)] == [1, 2]

    def test_what_cannot_be_kept_is_told_all_the_same(
        self, make_evaluation: MakeEvaluation, redis_leaves: Callable[[], None]
    ) -> None:
        evaluation, work = make_evaluation(), Work()

        def work_out() -> dict[str, Any]:
            redis_leaves()
            return work()

        assert summary_of(evaluation, work_out) == {"number": 1}

    def test_lists_still_tell_who_leads(
        self, make_evaluation: MakeEvaluation, redis_leaves: Callable[[], None]
    ) -> None:
        evaluation = make_evaluation(concurrency=1)
        one_round(evaluation)
        redis_leaves()
        best = best_arms([evaluation])[evaluation.id]
        assert best is not None
        assert best["accuracy"] == 1.0


@pytest.mark.django_db(transaction=True)
class TestManyAtOnce:
    def ask(self, evaluation: Evaluation, work: Work) -> dict[str, Any]:
        try:
            return summary_of(evaluation, work)
        finally:
            connection.close()

    def test_it_is_worked_out_once(self, make_evaluation: MakeEvaluation) -> None:
        evaluation, work = make_evaluation(), Work()
        work.go_on.clear()
        with ThreadPoolExecutor(4) as threads:
            asked = [threads.submit(self.ask, evaluation, work) for _ in range(4)]
            assert work.begun.wait(20)
            time.sleep(3 * summary_cache.POLL_SECONDS)
            work.go_on.set()
            assert [answer.result(20) for answer in asked] == [{"number": 1}] * 4

    def test_who_waits_holds_no_connection(
        self, make_evaluation: MakeEvaluation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        evaluation, work = make_evaluation(), Work()
        slept: list[bool] = []

        def sleep(seconds: float) -> None:
            slept.append(connection_is_free())
            work.go_on.set()

        work.go_on.clear()
        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(self.ask, evaluation, work)
            assert work.begun.wait(20)
            monkeypatch.setattr(time, "sleep", sleep)
            second = threads.submit(self.ask, evaluation, work)
            assert first.result(20) == second.result(20) == {"number": 1}
        assert slept
        assert all(slept)

    def test_meanwhile_the_last_one_is_told(
        self, make_evaluation: MakeEvaluation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(summary_cache, "PAUSE", 0)
        evaluation, work = make_evaluation(concurrency=1), Work()
        one_round(evaluation)
        assert summary_of(evaluation, work) == {"number": 1}
        one_round(evaluation)
        work.begun.clear()
        work.go_on.clear()
        with ThreadPoolExecutor(1) as threads:
            slow = threads.submit(self.ask, evaluation, work)
            assert work.begun.wait(20)
            assert summary_of(evaluation, work) == {"number": 1}
            work.go_on.set()
            assert slow.result(20) == {"number": 2}

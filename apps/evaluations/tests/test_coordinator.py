"""How an evaluation moves: no cell lost, none doubled, whatever happens in between."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models import Count
from django.db.models.functions import Now
from pytest_django import DjangoAssertNumQueries, Settings

from apps.accounts.models import User
from apps.common.errors import ApplicationError
from apps.common.tests.at_once import at_once
from apps.evaluations.coordinator import ENDPOINT_STREAK, advance, unsettled
from apps.evaluations.models import Evaluation, EvaluationResult
from apps.evaluations.requests import ArmRequest
from apps.evaluations.services import cell_seed, evaluation_cancel, evaluation_resume
from apps.evaluations.tests.conftest import (
    REFUSED,
    SPENT,
    MakeEvaluation,
    end_run,
    fail_run,
    one_round,
    under_way,
)
from apps.evaluations.tests.traces import make_pool
from apps.llms.models import Endpoint
from apps.runs.models import Run
from apps.runs.selectors import run_spec
from apps.runs.services import run_cancel
from apps.runs.tests.traces import tell
from apps.tasks.models import Task
from workers.tasks.evaluation import evaluations_advance

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("endpoint")]

Sent = list[tuple[str, str]]


def recorded(evaluation: Evaluation) -> int:
    evaluation.refresh_from_db()
    count = evaluation.results.filter(recorded_at__isnull=False).count()
    assert evaluation.done == count
    return count


def finish(evaluation: Evaluation) -> None:
    """Ends every run as it comes, until nothing more is taken up."""
    one_round(evaluation)
    while under_way(evaluation):
        one_round(evaluation)


def first_cell(make: MakeEvaluation, how: Callable[[Run], object]) -> EvaluationResult:
    """Of an evaluation whose first run ends as `how` has it."""
    evaluation = make(concurrency=1)
    one_round(evaluation, how)
    return evaluation.results.get(position=0)


def from_kept_answers(run: Run) -> Run:
    tell(end_run(run), "agent_finished", calls=1, cached_calls=1)
    return run


def cancel(evaluation: Evaluation) -> None:
    assert evaluation.created_by is not None
    evaluation_cancel(user=evaluation.created_by, evaluation_id=evaluation.id, as_admin=False)


def resume(evaluation: Evaluation) -> None:
    assert evaluation.created_by is not None
    evaluation_resume(user=evaluation.created_by, evaluation_id=evaluation.id, as_admin=False)


def stumbles_at(broken: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of `broken` raise what nobody expects."""

    def stumble(evaluation_id: UUID) -> bool:
        if evaluation_id == broken.id:
            raise ZeroDivisionError
        return advance(evaluation_id)

    monkeypatch.setattr("workers.tasks.evaluation.advance", stumble)


class TestItsWay:
    def test_the_first_cells_are_taken_up_all_arms_of_a_task_first(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=3)
        assert advance(evaluation.id)
        evaluation.refresh_from_db()
        assert evaluation.status == "running"
        assert evaluation.started_at is not None
        taken = [(run.result.task.index, run.method) for run in under_way(evaluation)]
        assert taken == [(0, "direct"), (0, "chain_of_thought"), (1, "direct")]

    def test_no_more_than_its_concurrency_is_under_way(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=3)
        for _ in range(4):
            advance(evaluation.id)
        assert len(under_way(evaluation)) == 3
        end_run(under_way(evaluation)[0])
        advance(evaluation.id)
        assert len(under_way(evaluation)) == 3
        assert recorded(evaluation) == 1

    def test_it_ends_with_every_cell_once(self, make_evaluation: MakeEvaluation) -> None:
        evaluation = make_evaluation(concurrency=5, repeats=2)
        finish(evaluation)
        assert recorded(evaluation) == evaluation.total == 24
        assert evaluation.status == "succeeded"
        assert evaluation.finished_at is not None
        assert evaluation.runs.count() == 24
        assert not advance(evaluation.id)
        assert list(unsettled()) == []

    @pytest.mark.django_db(transaction=True)
    def test_cells_go_to_their_own_queue(self, make_evaluation: MakeEvaluation, sent: Sent) -> None:
        evaluation = make_evaluation(concurrency=2)
        assert sent == [("evaluation", str(evaluation.id))]
        advance(evaluation.id)
        assert sent[1:] == [("evaluation", str(run.id)) for run in under_way(evaluation)]

    def test_a_cell_holds_what_its_run_left(self, make_evaluation: MakeEvaluation) -> None:
        cell = first_cell(make_evaluation, lambda run: end_run(run, correct=False))
        assert (cell.correct, cell.reward, cell.failed) == (False, 0.0, False)
        assert (cell.explanation, cell.answer) == ("said False", "3")
        assert (cell.prompt_tokens, cell.completion_tokens, cell.seconds) == (80, 20, 0.5)
        assert cell.cost == pytest.approx((80 * 1.0 + 20 * 2.0) / 1e6)  # not the 0 that was paid

    def test_how_much_of_it_kept_answers_gave(self, make_evaluation: MakeEvaluation) -> None:
        """Of the calls of the last attempt; what one agent takes over from another is no call."""
        evaluation = make_evaluation(concurrency=3)
        advance(evaluation.id)
        kept, partly, asked = under_way(evaluation)
        for run, attempt, told in (
            (kept, 1, {"calls": 2, "cached": True}),
            (partly, 0, {"calls": 9, "cached": True}),
            (partly, 1, {"calls": 1, "cached": True}),
            (partly, 1, {"calls": 3, "cached": False, "cached_calls": 2}),
            (asked, 1, {"calls": 1, "cached": False}),
            (asked, 1, {"calls": 1, "cached": False, "reused": True}),
        ):
            payload: dict[str, Any] = told
            tell(run, "agent_finished", attempt=attempt, **payload)
            end_run(run, correct=None)
        advance(evaluation.id)
        cells = evaluation.results.filter(position__lt=3).order_by("position")
        assert [cell.cached_share for cell in cells] == [1.0, 0.75, 0.0]

    def test_what_the_verifier_could_not_judge_stays_unjudged(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        cell = first_cell(make_evaluation, lambda run: end_run(run, correct=None))
        assert (cell.correct, cell.failed, cell.explanation) == (None, False, "")

    def test_a_failed_run_is_wrong_and_keeps_its_cause(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        cell = first_cell(make_evaluation, lambda run: fail_run(run, SPENT))
        assert (cell.correct, cell.failed, cell.prompt_tokens) == (False, True, None)
        assert cell.failure == SPENT

    def test_a_failure_on_a_task_that_nobody_judges_is_not_wrong(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        Task.objects.filter(index=0).update(verifier="")
        cell = first_cell(make_evaluation, lambda run: fail_run(run, SPENT))
        assert (cell.correct, cell.failed, cell.failure) == (None, True, SPENT)

    def test_the_run_is_the_task_as_it_was(self, make_evaluation: MakeEvaluation) -> None:
        Task.objects.filter(index=0).update(
            verifier="unit_tests", metadata={"tests": ["assert f() == 1"]}, domain="code"
        )
        evaluation = make_evaluation(concurrency=1, seed=7)
        Task.objects.all().delete()
        advance(evaluation.id)
        (run,) = under_way(evaluation)
        spec = run_spec(run)
        assert (spec.task.query, spec.task.reference) == ("What is 0 + 1?", "1")
        assert (spec.task.verifier, spec.task.answer_form) == ("unit_tests", "code")
        assert spec.task.metadata == {"tests": ["assert f() == 1"]}
        assert (spec.seed, spec.stream) == (cell_seed(7, 0, 0), False)

    def test_seeds_are_equal_over_arms_and_differ_over_tasks_and_repeats(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=24, repeats=2)
        finish(evaluation)
        rows = EvaluationResult.objects.values("task", "repeat").annotate(
            seeds=Count("run__seed", distinct=True), cells=Count("id")
        )
        assert {(row["seeds"], row["cells"]) for row in rows} == {(1, 2)}
        assert len(set(evaluation.runs.values_list("seed", flat=True))) == 12

    def test_one_that_is_not_there_needs_nothing(self) -> None:
        assert not advance(uuid4())

    def test_an_idle_round_is_cheap(
        self, make_evaluation: MakeEvaluation, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        evaluation = make_evaluation(concurrency=2)
        advance(evaluation.id)
        with django_assert_max_num_queries(16):
            advance(evaluation.id)


class TestCrashes:
    @pytest.mark.django_db(transaction=True)
    def test_many_at_once_take_up_each_cell_once(self, make_evaluation: MakeEvaluation) -> None:
        evaluation = make_evaluation(concurrency=4, repeats=2)

        def work(_: int) -> None:
            for _ in range(8):
                advance(evaluation.id)
                if run := Run.objects.filter(status="queued").order_by("?").first():
                    waiting = Run.objects.filter(id=run.id, status="queued")
                    if waiting.update(status="running"):
                        end_run(run)

        at_once(work, 8)
        finish(evaluation)
        assert recorded(evaluation) == 24
        assert evaluation.runs.count() == 24
        assert evaluation.results.filter(run__isnull=True).count() == 0

    def test_a_crash_in_the_middle_of_a_round_leaves_nothing_half_done(
        self, make_evaluation: MakeEvaluation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        evaluation = make_evaluation(concurrency=3)

        def crash(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr("apps.evaluations.coordinator._finish_if_done", crash)
            with pytest.raises(KeyboardInterrupt):
                advance(evaluation.id)
        evaluation.refresh_from_db()
        assert (evaluation.status, evaluation.runs.count()) == ("queued", 0)
        finish(evaluation)
        assert evaluation.runs.count() == recorded(evaluation) == 12

    def test_a_run_that_was_deleted_is_run_again(self, make_evaluation: MakeEvaluation) -> None:
        evaluation = make_evaluation(concurrency=1)
        advance(evaluation.id)
        under_way(evaluation)[0].delete()
        finish(evaluation)
        assert recorded(evaluation) == 12


class TestUnreadable:
    def test_it_fails_with_the_cause_and_the_others_go_on(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        poisoned, healthy = make_evaluation(concurrency=1), make_evaluation(concurrency=1)
        for evaluation in (poisoned, healthy):
            advance(evaluation.id)
            end_run(under_way(evaluation)[0])
        spec = poisoned.arms.get(index=0).endpoint_spec
        poisoned.arms.update(endpoint_spec={**spec, "of an older version": 1})
        assert evaluations_advance() == 2
        assert recorded(healthy) == 1
        assert len(under_way(healthy)) == 1
        assert recorded(poisoned) == 0
        failure = poisoned.failure or {}
        assert (poisoned.status, failure["code"]) == ("failed", "unreadable_evaluation")
        assert "of an older version" in failure["message"]
        assert list(unsettled()) == [healthy]
        resume(poisoned)
        finish(poisoned)
        assert recorded(poisoned) == 12
        assert poisoned.runs.count() == 12

    def test_one_that_was_cancelled_stays_so(self, make_evaluation: MakeEvaluation) -> None:
        evaluation = make_evaluation(concurrency=1)
        advance(evaluation.id)
        end_run(under_way(evaluation)[0])
        spec = evaluation.arms.get(index=0).endpoint_spec
        evaluation.arms.update(endpoint_spec={**spec, "of an older version": 1})
        cancel(evaluation)
        assert not advance(evaluation.id)
        evaluation.refresh_from_db()
        assert (evaluation.status, evaluation.failure) == ("cancelled", None)
        assert not unsettled().exists()
        resume(evaluation)
        finish(evaluation)
        assert recorded(evaluation) == 12

    def test_a_bug_in_one_holds_up_no_other(
        self, make_evaluation: MakeEvaluation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broken, healthy = make_evaluation(), make_evaluation()

        stumbles_at(broken, monkeypatch)
        assert evaluations_advance() == 2
        assert under_way(healthy)


class TestSlots:
    def test_all_evaluations_together_leave_room_for_people(
        self, make_evaluation: MakeEvaluation, settings: Settings
    ) -> None:
        settings.EVALUATION_MAX_ACTIVE = 4
        first, second = make_evaluation(concurrency=8), make_evaluation(concurrency=8)
        advance(first.id)
        assert len(under_way(first)) == 4
        advance(second.id)
        assert len(under_way(second)) == 0
        for run in under_way(first)[:3]:
            end_run(run)
        for _ in range(2):
            advance(first.id)
            advance(second.id)
        assert (len(under_way(first)), len(under_way(second))) == (2, 2)


class TestTurns:
    """More evaluations run than there are slots."""

    @pytest.fixture(autouse=True)
    def _few_slots(self, settings: Settings) -> None:
        settings.EVALUATION_MAX_ACTIVE = 2

    def messages(self, sent: Sent) -> None:
        """A worker's: rounds for those that were told, between them those of cells."""
        while sent:
            advance(UUID(sent.pop(0)[1]))

    def end_one(self, evaluation: Evaluation) -> None:
        """As whoever executed the cell does: one round of its evaluation."""
        end_run(under_way(evaluation)[0])
        advance(evaluation.id)

    @pytest.mark.django_db(transaction=True)
    def test_a_freed_slot_goes_to_who_waits_longest(
        self, make_evaluation: MakeEvaluation, sent: Sent
    ) -> None:
        evaluations = [make_evaluation(concurrency=4) for _ in range(4)]
        self.messages(sent)
        order = []
        for _ in range(10):
            running = [one for one in evaluations if under_way(one)]
            order.append([evaluations.index(one) for one in running])
            oldest = min(running, key=lambda one: under_way(one)[0].created_at)
            self.end_one(oldest)
            self.messages(sent)
        assert order[:6] == [[0], [0, 1], [1, 2], [2, 3], [0, 3], [0, 1]]
        # The first had both slots before the others came.
        assert [recorded(evaluation) for evaluation in evaluations] == [4, 2, 2, 2]

    def test_whoever_asks_more_often_gets_no_more(self, make_evaluation: MakeEvaluation) -> None:
        first, second, third = (make_evaluation(concurrency=4) for _ in range(3))
        for evaluation in (first, second, third):
            advance(evaluation.id)
        end_run(under_way(first)[0])
        for _ in range(3):
            advance(first.id)
            advance(third.id)
        assert [len(under_way(one)) for one in (first, second, third)] == [1, 0, 0]
        advance(second.id)
        assert [len(under_way(one)) for one in (first, second, third)] == [1, 1, 0]

    def test_one_that_has_nothing_left_to_ask_is_not_waited_for(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        first, second, third = (make_evaluation(concurrency=4) for _ in range(3))
        for evaluation in (first, second, third):
            advance(evaluation.id)
        second.results.update(recorded_at=Now())
        self.end_one(first)
        advance(third.id)
        assert (len(under_way(first)), len(under_way(third))) == (1, 1)

    def test_one_whose_rounds_break_off_holds_up_no_other(
        self, make_evaluation: MakeEvaluation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, broken, third = (make_evaluation(concurrency=4) for _ in range(3))
        for evaluation in (first, broken, third):
            advance(evaluation.id)

        stumbles_at(broken, monkeypatch)
        self.end_one(first)
        for _ in range(2):
            evaluations_advance()
        assert (len(under_way(first)), len(under_way(third))) == (1, 1)

    @pytest.mark.django_db(transaction=True)
    def test_at_once(self, make_evaluation: MakeEvaluation) -> None:
        evaluations = [make_evaluation(concurrency=4) for _ in range(5)]
        ids = [evaluation.id for evaluation in evaluations]
        most = []

        def work(number: int) -> None:
            for turn in range(6):
                active = Run.objects.filter(status__in=("queued", "running"))
                most.append(active.count())
                run = active.filter(status="queued").order_by("?").first()
                mine = Run.objects.filter(id=run.id if run else uuid4(), status="queued")
                if run and mine.update(status="running"):
                    end_run(run)
                    advance(run.evaluation_id or ids[0])
                advance(ids[(number + turn) % len(ids)])

        at_once(work, 4)
        assert max(most) <= 2
        for _ in range(60):
            for run in Run.objects.filter(status__in=("queued", "running")):
                end_run(run)
            evaluations_advance()
            if not unsettled().exists():
                break
        assert [recorded(evaluation) for evaluation in evaluations] == [12] * 5
        assert Run.objects.count() == 60


class TestDeadEndpoint:
    def test_it_stops_with_the_cause_and_burns_no_cells(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=2)
        for _ in range(4):
            one_round(evaluation, fail_run)
        assert not advance(evaluation.id)
        evaluation.refresh_from_db()
        failure = evaluation.failure or {}
        assert (evaluation.status, failure["code"]) == ("failed", "endpoint_away")
        assert "“stub”" in failure["message"]
        assert REFUSED["message"] in failure["message"]
        assert "Start the server." in failure["remedy"]
        assert "resume" in failure["remedy"]
        assert recorded(evaluation) == 0
        assert evaluation.runs.count() == 6

    @pytest.mark.parametrize("further", [True, False])
    def test_an_arm_whose_further_endpoint_is_away_stops_it_though_others_answer(
        self, make_evaluation: MakeEvaluation, further: bool
    ) -> None:
        """Where its one endpoint answers others, failures in a row may be chance."""
        Endpoint.objects.create(key="far", name="F", base_url="https://x.example/v1", model="m")
        config = {"endpoints": ["far"]} if further else {}
        team = ArmRequest(method="reso", label="Team", pool=make_pool().key, method_config=config)
        evaluation = make_evaluation(concurrency=2, arms=(ArmRequest(method="direct"), team))
        while advance(evaluation.id):
            one_round(
                evaluation, lambda run: fail_run(run) if run.method == "reso" else end_run(run)
            )
        evaluation.refresh_from_db()
        if not further:
            assert (evaluation.status, recorded(evaluation)) == ("succeeded", 12)
            return
        failure = evaluation.failure or {}
        assert (evaluation.status, failure["code"]) == ("failed", "endpoint_away")
        assert "“Team” from the endpoints stub, far" in failure["message"]
        waiting = evaluation.results.filter(recorded_at__isnull=True)
        assert {result.arm.label for result in waiting} == {"Team", "direct"}
        assert not evaluation.results.filter(failed=True).exists()

    def test_of_an_arm_alone_none_of_its_endpoints_is_blamed_for_another(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        Endpoint.objects.create(key="far", name="F", base_url="https://x.example/v1", model="m")
        config = {"endpoints": ["far"]}
        team = ArmRequest(method="reso", pool=make_pool().key, method_config=config)
        evaluation = make_evaluation(concurrency=2, arms=(team,))
        while advance(evaluation.id):
            one_round(evaluation, fail_run)
        assert "from the endpoints stub, far" in (evaluation.failure or {})["message"]

    def test_answers_under_way_elsewhere_are_kept(self, make_evaluation: MakeEvaluation) -> None:
        evaluation = make_evaluation(concurrency=5)
        advance(evaluation.id)
        *failing, slow = under_way(evaluation)
        for run in failing:
            fail_run(run)
        advance(evaluation.id)
        for run in under_way(evaluation):
            if run.id != slow.id:
                fail_run(run)
        assert advance(evaluation.id)  # the slow one is still under way
        evaluation.refresh_from_db()
        assert evaluation.status == "failed"
        end_run(slow)
        assert not advance(evaluation.id)
        assert recorded(evaluation) == 1

    def test_kept_answers_in_between_do_not_hide_it(self, make_evaluation: MakeEvaluation) -> None:
        """Cells of one arm, answered from the cache, say nothing of an endpoint that is gone."""
        evaluation = make_evaluation(concurrency=2)
        for _ in range(ENDPOINT_STREAK):
            advance(evaluation.id)
            for run in under_way(evaluation):
                fail_run(run) if run.method == "direct" else from_kept_answers(run)
        finish(evaluation)
        failure = evaluation.failure or {}
        assert (evaluation.status, failure["code"]) == ("failed", "endpoint_away")
        assert not evaluation.results.filter(failed=True).exists()

    def test_what_an_endpoint_left_out_is_told_and_asked_again(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        """Too few in a row to stop it: they count as wrong until they are asked again."""
        evaluation = make_evaluation(concurrency=2)
        advance(evaluation.id)
        lost, _ = under_way(evaluation)
        fail_run(lost)
        finish(evaluation)
        evaluation.refresh_from_db()
        assert (evaluation.status, recorded(evaluation)) == ("succeeded", 12)
        assert evaluation.warnings == [
            {
                "code": "unanswered",
                "message": "Answers of “direct” that the endpoint did not give: 1. They count as "
                "wrong. Resume the evaluation to ask for them again.",
                "arm": "direct",
            }
        ]
        resume(evaluation)
        assert recorded(evaluation) == 11
        assert (evaluation.status, evaluation.warnings) == ("running", [])
        finish(evaluation)
        assert recorded(evaluation) == 12
        assert (evaluation.status, evaluation.warnings) == ("succeeded", [])
        assert not evaluation.results.filter(failed=True).exists()
        with pytest.raises(ApplicationError, match="Only an evaluation that failed") as error:
            resume(evaluation)
        assert error.value.code == "evaluation_not_stopped"

    def test_resumed_it_goes_on_with_the_endpoint_as_it_is_now(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=2)
        for _ in range(4):
            one_round(evaluation, fail_run)
        advance(evaluation.id)
        Endpoint.objects.update(base_url="http://127.0.0.1:10/v1")
        resume(evaluation)
        advance(evaluation.id)
        assert under_way(evaluation)[0].endpoint_spec["base_url"] == "http://127.0.0.1:10/v1"
        finish(evaluation)
        assert recorded(evaluation) == 12
        assert evaluation.status == "succeeded"
        assert not evaluation.results.filter(failed=True).exists()

    def test_what_the_dead_endpoint_fails_after_the_resume_is_asked_again(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=5)
        advance(evaluation.id)
        *failing, slow = under_way(evaluation)
        evaluation.runs.update(status="running", started_at=Now())
        for run in failing:
            fail_run(run)
        advance(evaluation.id)
        for run in under_way(evaluation):
            if run.id != slow.id:
                fail_run(run)
        advance(evaluation.id)
        resume(evaluation)
        # One transaction has one time: without this the run would not have begun before the resume.
        Run.objects.filter(id=slow.id).update(started_at=Now() - timedelta(seconds=9))
        fail_run(slow)
        advance(evaluation.id)
        assert recorded(evaluation) == 0
        finish(evaluation)
        assert recorded(evaluation) == 12
        assert not evaluation.results.filter(failed=True).exists()

    def test_an_endpoint_that_may_not_be_used_any_more_is_not(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation()
        cancel(evaluation)

        def refused() -> ApplicationError:
            with pytest.raises(ApplicationError) as caught:
                resume(evaluation)
            evaluation.refresh_from_db()
            assert (caught.value.status_code, evaluation.status) == (409, "cancelled")
            assert "“stub”" in caught.value.message
            return caught.value

        Endpoint.objects.update(model="cleverer")
        other = refused()
        assert other.code == "endpoint_other_model"
        assert "“cleverer”" in other.message
        Endpoint.objects.update(model="stub", enabled=False)
        assert refused().code == "endpoint_disabled"
        Endpoint.objects.all().delete()
        assert refused().code == "endpoint_disabled"

    def test_a_permission_that_was_withdrawn_is_not_used(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=1)
        advance(evaluation.id)
        Evaluation.objects.update(status="failed", failure=REFUSED)
        Endpoint.objects.update(allow_private_address=False)
        resume(evaluation)
        (queued,) = under_way(evaluation)
        assert queued.endpoint_spec["allow_private_address"] is False
        end_run(queued)
        advance(evaluation.id)
        assert under_way(evaluation)[0].endpoint_spec["allow_private_address"] is False

    def test_an_arm_that_is_done_needs_its_endpoint_no_more(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=12)
        advance(evaluation.id)
        for run in under_way(evaluation):
            end_run(run)
        cancel(evaluation)
        advance(evaluation.id)
        Endpoint.objects.update(enabled=False)
        resume(evaluation)
        advance(evaluation.id)
        evaluation.refresh_from_db()
        assert evaluation.status == "succeeded"

    def test_failures_now_and_then_do_not_stop_it(self, make_evaluation: MakeEvaluation) -> None:
        evaluation = make_evaluation(concurrency=1)
        for turn in range(12):
            one_round(evaluation, end_run if turn % 5 == 4 else fail_run)
        assert not advance(evaluation.id)
        assert recorded(evaluation) == 12
        assert evaluation.status == "succeeded"
        assert evaluation.results.filter(failed=True, correct=False).count() == 10

    def test_failures_of_the_tasks_do_not_stop_it(self, make_evaluation: MakeEvaluation) -> None:
        evaluation = make_evaluation(concurrency=4)
        while advance(evaluation.id):
            one_round(evaluation, lambda run: fail_run(run, SPENT))
        assert recorded(evaluation) == 12
        assert evaluation.status == "succeeded"


class TestCancelAndResume:
    def test_what_was_under_way_waits_again_and_what_is_done_stays(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=3)
        advance(evaluation.id)
        end_run(under_way(evaluation)[0])
        advance(evaluation.id)
        cancel(evaluation)
        assert not advance(evaluation.id)
        assert under_way(evaluation) == []
        assert recorded(evaluation) == 1
        assert evaluation.status == "cancelled"
        resume(evaluation)
        finish(evaluation)
        assert recorded(evaluation) == 12
        assert not evaluation.results.filter(failed=True).exists()

    def test_what_hears_of_the_cancellation_after_the_resume_is_asked_again(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=4)
        advance(evaluation.id)
        slow, queued = under_way(evaluation)[:2], under_way(evaluation)[2:]
        Run.objects.filter(id__in=[run.id for run in slow]).update(status="running", attempt=1)
        cancel(evaluation)
        resume(evaluation)  # before any round: nothing was harvested yet
        for run in slow:
            end_run(run, correct=None, status="cancelled", answer=None)
        advance(evaluation.id)
        assert recorded(evaluation) == 0
        again = under_way(evaluation)
        assert [run.result.position for run in again] == [0, 1, 2, 3]
        assert not {run.id for run in again} & {run.id for run in (*slow, *queued)}
        finish(evaluation)
        assert recorded(evaluation) == 12
        assert not evaluation.results.filter(failed=True).exists()

    def test_a_run_that_is_cancelled_alone_is_a_failure(
        self, make_evaluation: MakeEvaluation, cast: dict[str, User]
    ) -> None:
        evaluation = make_evaluation(concurrency=1)
        advance(evaluation.id)
        run_cancel(user=cast["operator"], run_id=under_way(evaluation)[0].id, as_admin=False)
        finish(evaluation)
        cell = evaluation.results.get(position=0)
        assert cell.failure is not None
        assert (cell.failed, cell.failure["code"]) == (True, "run_cancelled")
        assert recorded(evaluation) == 12

    def test_one_whose_last_answer_came_while_it_was_cancelled_ends_when_resumed(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=12)
        advance(evaluation.id)
        Run.objects.filter(evaluation=evaluation).update(status="running")
        cancel(evaluation)
        for run in under_way(evaluation):
            end_run(run)
        advance(evaluation.id)
        assert recorded(evaluation) == 12
        resume(evaluation)
        advance(evaluation.id)
        evaluation.refresh_from_db()
        assert evaluation.status == "succeeded"


def test_seeds_of_cells_are_spread_and_stable() -> None:
    seeds = {cell_seed(s, t, r) for s in range(5) for t in range(50) for r in range(4)}
    assert len(seeds) == 1_000
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert cell_seed(0, 0, 0) == 1_498_545_368

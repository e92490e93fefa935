"""The updater and the two forms of the state."""

import pytest

from workers.core.events import Assessment, TaskState
from workers.core.events.stages import Verdict
from workers.core.methods.evomas.state import (
    Artifact,
    Context,
    Proposed,
    active_of,
    compact,
    full,
    initial_state,
    is_complete,
    progress,
    replanned,
    shortened,
    updated,
)

NAMES = {"io": "I/O", "web_search": "Web search"}


def planned(*texts: str) -> TaskState:
    return replanned(initial_state("The task"), [Proposed(text) for text in texts], most=8)[0]


def assessed(
    state: TaskState, verdict: Verdict, *, artifact: str = "found", stage: int = 1
) -> TaskState:
    assessment = Assessment(verdict=verdict, confidence=0.7, feedback=f"said {verdict}")
    return updated(
        state, [["io"], ["web_search"]], Artifact(artifact, "a1"), assessment, stage=stage
    )


def statuses(state: TaskState) -> list[str]:
    return [each.status for each in state.subtasks]


def test_a_success_completes_the_subtask_and_the_next_one_is_active() -> None:
    state = assessed(planned("one", "two"), "success")
    assert statuses(state) == ["DONE", "TODO"]
    assert active_of(state).text == "two"
    assert (state.subtasks[0].artifact, state.subtasks[0].by) == ("found", "a1")
    assert state.trouble == ()
    whole = assessed(state, "success", stage=2)
    assert is_complete(whole)
    assert whole.active is None


@pytest.mark.parametrize(("verdict", "status"), [("fail", "FAILED"), ("refine", "NEED-REFINE")])
def test_without_success_it_stays_active_with_its_trouble(verdict: Verdict, status: str) -> None:
    state = planned("one", "two")
    for stage in range(1, 6):
        state = assessed(state, verdict, stage=stage)
    assert statuses(state) == [status, "TODO"]
    assert state.active == "s1"
    assert state.subtasks[0].attempts == 5
    assert state.trouble == (f"said {verdict}",) * 3
    assert assessed(state, "success", stage=6).trouble == ()


def test_a_stage_that_left_nothing_takes_nothing() -> None:
    state = assessed(planned("one"), "refine")
    state = assessed(state, "fail", artifact="", stage=2)
    assert (state.subtasks[0].artifact, state.subtasks[0].by) == ("found", "a1")
    assert statuses(state) == ["FAILED"]


def test_the_same_stage_gives_the_same_state() -> None:
    assert assessed(planned("one"), "refine") == assessed(planned("one"), "refine")


class TestPlans:
    def test_the_first_plan_replaces_the_task_as_its_only_subtask(self) -> None:
        assert [each.text for each in planned("one", "two").subtasks] == ["one", "two"]

    def test_what_is_done_stays_whatever_the_planner_writes(self) -> None:
        state = assessed(planned("one", "two", "three"), "success")
        plan = [Proposed("Three."), Proposed("four", status="DONE"), Proposed("one", status="TODO")]
        state, left_out = replanned(state, plan, most=8)
        assert [(each.id, each.text, each.status) for each in state.subtasks] == [
            ("s1", "one", "DONE"),
            ("s3", "Three.", "TODO"),
            ("s4", "four", "TODO"),
        ]
        assert (state.active, left_out) == ("s3", 0)

    def test_a_repaired_subtask_keeps_its_attempts_and_trouble(self) -> None:
        state = assessed(planned("one", "two"), "refine")
        again, _ = replanned(state, [Proposed("one, in km", id="s1"), Proposed("two")], most=8)
        assert (again.subtasks[0].text, again.subtasks[0].attempts) == ("one, in km", 1)
        assert again.trouble == state.trouble
        other, _ = replanned(state, [Proposed("zero"), Proposed("two")], most=8)
        assert other.trouble == ()

    def test_a_refinement_in_other_words_is_the_subtask_that_was_tried(self) -> None:
        state = assessed(planned("one", "two"), "refine")
        plan = [Proposed("one, but in km", status="NEED-REFINE"), Proposed("two")]
        again, _ = replanned(state, plan, most=8)
        assert [(each.id, each.text) for each in again.subtasks] == [
            ("s1", "one, but in km"),
            ("s2", "two"),
        ]
        assert (again.subtasks[0].artifact, again.trouble) == ("found", state.trouble)
        beside, _ = replanned(state, [plan[0], Proposed("one")], most=8)
        assert [each.id for each in beside.subtasks] == ["s3", "s1"]

    def test_what_failed_is_left_out_where_others_replace_it(self) -> None:
        state = assessed(planned("one", "two"), "fail")
        plan = [Proposed("one", status="FAILED"), Proposed("one, elsewhere"), Proposed("two")]
        assert [each.text for each in replanned(state, plan, most=8)[0].subtasks] == [
            "one, elsewhere",
            "two",
        ]
        kept, _ = replanned(state, [Proposed("one", status="FAILED")], most=8)
        assert [each.text for each in kept.subtasks] == ["one"]

    def test_done_subtasks_count_for_the_limit_and_one_is_always_left_to_do(self) -> None:
        state = assessed(assessed(planned("one", "two", "three"), "success"), "success", stage=2)
        plan = [Proposed("three"), Proposed("four"), Proposed("five")]
        cut, left_out = replanned(state, plan, most=3)
        assert ([each.text for each in cut.subtasks], left_out) == (["one", "two", "three"], 2)
        assert len(replanned(state, plan, most=1)[0].subtasks) == 3

    def test_a_plan_of_what_is_done_alone_changes_nothing(self) -> None:
        state = assessed(planned("one", "two"), "success")
        assert replanned(state, [Proposed("one")], most=8)[0].subtasks == state.subtasks


class TestForms:
    def test_the_compact_form_is_about_the_active_subtask(self) -> None:
        state = planned("one", "two")
        assert compact(state, NAMES) == (
            "First attempt at a new subtask: one",
            "The subtask has not been tried yet. 0 of 2 subtasks are done.",
        )
        assert compact(assessed(state, "refine"), NAMES) == (
            "Try again, the last answer needs refinement: one",
            "The last answer to the subtask needs refinement. "
            "Tried without success: I/O, Web search. Feedback: said refine "
            "Next: keep what is right, find what is missing, and correct the rest. "
            "0 of 2 subtasks are done.",
        )
        assert compact(assessed(state, "success"), NAMES)[0] == (
            "First attempt at a new subtask: two"
        )

    def test_progress_is_about_counts_alone(self) -> None:
        state = planned("one", "two")
        assert progress(state, stages_left=3) == "3 stages, 2 subtasks"
        assert progress(assessed(state, "fail"), stages_left=2) == "2 stages, 2 subtasks, tried"
        assert progress(assessed(state, "success"), stages_left=2) == "2 stages, 1 subtasks"
        whole = assessed(assessed(state, "success"), "success")
        assert progress(whole, stages_left=1) == "1 stages, 0 subtasks"

    def test_different_states_read_differently(self) -> None:
        state = planned("one", "two")
        forms = [
            compact(each, NAMES)
            for each in (
                state,
                assessed(state, "fail"),
                assessed(state, "refine"),
                assessed(state, "success"),
            )
        ]
        assert len(set(forms)) == 4

    def test_the_full_form_ends_with_the_subtask(self) -> None:
        state = assessed(
            assessed(planned("one", "two", "three"), "success"), "refine", artifact="half", stage=2
        )
        context = full(state)
        assert context.question.endswith("Your subtask now, and nothing else:\ntwo")
        assert "The whole task:\nThe task" in context.question
        assert "Left for later:\n- three" in context.question
        assert [(each.name, each.message) for each in context.found] == [
            ("Result 1", "one\nfound"),
            ("Last attempt", "half"),
            ("Feedback", "- said refine"),
        ]
        for each in context.found:
            assert f"“{each.name}”" in context.question
            assert each.message not in context.question

    def test_a_task_that_is_its_only_subtask_is_told_once(self) -> None:
        assert full(initial_state("The task")) == Context("The task")

    def test_long_texts_keep_their_beginning_and_end(self) -> None:
        found = shortened("a" * 500 + "z" * 500, 100)
        assert (len(found), found[0], found[-1]) == (100, "a", "z")

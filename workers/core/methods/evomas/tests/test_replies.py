"""Plans and verdicts as models write them."""

import pytest

from workers.core.methods.evomas.evaluator import AssessmentError, read_assessment
from workers.core.methods.evomas.planner import PlanError, read_plan


@pytest.mark.parametrize(
    "reply",
    [
        "1. [TODO] Find one.\n2. [TODO] Find two.",
        "Here is the plan:\n\n1) Find one.\n2) Find two.\n\nThis should do.",
        "- TODO: Find one.\n- TODO: Find two.",
        "* **[TODO]** Find one.\n* **[TODO]** Find two.",
        "[TODO] Find one.\n[TODO] Find two.",
        "1. Find one.\n   - Search for it.\n   - Note the unit.\n2. Find two.",
        '{"subtasks": [{"text": "Find one.", "status": "TODO"}, {"text": "Find two."}]}',
        '```json\n["Find one.", "Find two."]\n```',
        "<think>1. Not this.</think>1. Find one.\n2. Find two.",
    ],
)
def test_a_plan_is_read_in_many_forms(reply: str) -> None:
    assert [line.text for line in read_plan(reply)] == ["Find one.", "Find two."]


def test_statuses_and_ids_are_read() -> None:
    plan = read_plan("s1. [DONE] Find one.\ns2. [NEED-REFINE] Find two.\n3. pending: Find three.")
    assert [(line.id, line.status) for line in plan] == [
        ("s1", "DONE"),
        ("s2", "NEED-REFINE"),
        ("", "TODO"),
    ]


@pytest.mark.parametrize(
    "reply", ["", "I would look at both.", "1. …\n2. -", "{", "[" * 10_000, "[]"]
)
def test_what_is_no_plan(reply: str) -> None:
    with pytest.raises(PlanError):
        read_plan(reply)


@pytest.mark.parametrize(
    ("reply", "verdict", "confidence", "feedback"),
    [
        ("Feedback: all there.\nConfidence: 0.8\nAnswer: success", "success", 0.8, "all there."),
        (
            "**Feedback:** no unit\n**Confidence:** 60%\n**Verdict:** refine",
            "refine",
            0.6,
            "no unit",
        ),
        ("Answer: fail\nConfidence: 7\nFeedback: wrong\nriver", "fail", 0.07, "wrong\nriver"),
        ('{"verdict": "fail", "confidence": 0.3, "feedback": "no"}', "fail", 0.3, "no"),
        ('{"reward": 1, "feedback": "fine"}', "success", 0.5, "fine"),
        ("Success.", "success", 0.5, ""),
        ("It has the length.\nAnswer: \\boxed{success}", "success", 0.5, "It has the length."),
    ],
)
def test_a_verdict_is_read_in_many_forms(
    reply: str, verdict: str, confidence: float, feedback: str
) -> None:
    found = read_assessment(reply)
    assert found.verdict == verdict
    assert found.confidence == pytest.approx(confidence)
    assert found.feedback.rstrip("}\n ") == feedback


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "It looks good.",
        "Answer: success\nor rather\nAnswer: fail",
        "Answer: 1094",
        "Answer: success, refine or fail.",
        "Verdict: success/fail",
        '{"verdict": "great"}',
    ],
)
def test_what_is_no_verdict(reply: str) -> None:
    with pytest.raises(AssessmentError):
        read_assessment(reply)


@pytest.mark.parametrize(
    "said", ["Confidence: 8/10", "Confidence: 80 %", "Confidence: 0.8", "Confidence: 4 / 5"]
)
def test_a_confidence_is_a_share_however_it_is_written(said: str) -> None:
    assert read_assessment(f"{said}\nAnswer: success").confidence == pytest.approx(0.8)
    number = said.removeprefix("Confidence: ")
    reply = f'{{"verdict": "success", "confidence": "{number}"}}'
    assert read_assessment(reply).confidence == pytest.approx(0.8)


def test_a_confidence_outside_its_range_is_none() -> None:
    assert read_assessment('{"verdict": "fail", "confidence": 1e9}').confidence == 0.5

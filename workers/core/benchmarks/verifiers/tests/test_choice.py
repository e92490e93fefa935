"""Letters, option texts and prose."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.verifiers.choice import Choice, chosen
from workers.core.tests.support import within

from .support import HOSTILE, judge

CITIES = ["Paris", "London", "New York", "York"]
SPEEDS = ["2 m/s", "4 m/s", "4 m/s upwards", "None of the above"]
CELL = ["Mitochondria", "Nucleus", "Ribosome", "Golgi apparatus"]
NUMBERS = ["1", "2", "3", "4"]
CHANGES = ["increase", "decrease", "no change"]
VITAMINS = ["Vitamin A", "Vitamin C", "Vitamin D", "Vitamin K"]
VIRUSES = ["Hepatitis A", "Hepatitis C", "Hepatitis B", "Hepatitis D"]
GROUPS = ["group B", "group A", "group O", "group AB"]
POINTS = ["point A", "point C", "point B", "point D"]
CELLS = ["T cells", "NK cells", "B cells", "Mast cells"]
BLOOD = ["A+", "O+", "B+", "AB+"]
PLANS = ["Plan B, then plan A", "Plan A.", "Plan C", "no plan"]
BOTH = ["copper", "iron", "Both A and B", "Neither A nor B"]
ANIMALS = ["a cat", "a dog", "All of the above", "I do not know"]


@pytest.mark.parametrize(
    ("answer", "choices", "letter"),
    [
        ("C", CITIES, "C"),
        ("c", CITIES, "C"),
        ("(c)", CITIES, "C"),
        ("C.", CITIES, "C"),
        ("**C**", CITIES, "C"),
        (r"\boxed{C}", CITIES, "C"),
        (r"\boxed{\text{(C)}}", CITIES, "C"),
        (r"$\text{C}$", CITIES, "C"),
        ("C) New York", CITIES, "C"),
        ("C - New York", CITIES, "C"),
        ("A. Paris", CITIES, "A"),
        ("B: 4 m/s", SPEEDS, "B"),
        ("option C", CITIES, "C"),
        ("Option (C)", CITIES, "C"),
        ("Answer: (B) London", CITIES, "B"),
        ("the answer is C", CITIES, "C"),
        ("The answer is A", CITIES, "A"),
        ("the correct choice is **C**.", CITIES, "C"),
        ("I think it is B", ANIMALS, "B"),
        ("It must be D.", CITIES, "D"),
        ("C is correct", CITIES, "C"),
        ("Paris (A)", CITIES, "A"),
        ("A is wrong, so C", CITIES, "C"),
        ("not A but C", CITIES, "C"),
        ("Neither A nor B: C", CITIES, "C"),
        ("It isn't B, it's C", CITIES, "C"),
        ("B, because A is false", CITIES, "B"),
        ("I believe C is right since B is incorrect", CITIES, "C"),
        ("D) York, not New York", CITIES, "D"),
        ("It is New York", CITIES, "C"),
        ("York", CITIES, "D"),
        ("the city of York, of course", CITIES, "D"),
        ("4 m/s", SPEEDS, "B"),
        ("4 m/s upwards", SPEEDS, "C"),
        ("it moves with 4 m/s", SPEEDS, "B"),
        ("none of the above", SPEEDS, "D"),
        ("All of the above", ANIMALS, "C"),
        ("A cat", ANIMALS, "A"),
        ("A cat sat on the mat", CITIES, None),
        ("A or B", CITIES, None),
        ("A/B", CITIES, None),
        ("(A) and (B)", CITIES, None),
        ("A, B, C or D", CITIES, None),
        ("it is Paris or London", CITIES, None),
        ("E", CITIES, None),
        ("Z) none", CITIES, None),
        ("", CITIES, None),
        ("I do not know", CITIES, None),
        # what is said to be the answer beats every other mention
        ("The answer is A. Option B is the nucleus, which stores DNA.", CELL, "A"),
        ("The answer is A. Option B would be right if it asked about DNA.", CELL, "A"),
        ("The answer is B. Options A, C and D are distractors.", CELL, "B"),
        ("Answer: B. (A) is the powerhouse.", CELL, "B"),
        ("Answer: A\nExplanation: unlike B, A makes ATP. C) makes proteins.", CELL, "A"),
        ("The answer is A. No, wait: the answer is B.", CELL, "B"),
        ("the answer is b", CELL, "B"),
        ("A is correct. B is the organelle for DNA.", CELL, "A"),
        ("B: yes. C: no.", CELL, "B"),
        ("A: no. B: no. C: yes. D: no.", CELL, "C"),
        ("B\n\nExplanation: the nucleus; option A is for energy.", CELL, "B"),
        ("A.\n\nB is the control centre. (C) makes proteins. (D) packs them.", CELL, "A"),
        ("The answer is A or B", CELL, None),
        ("Answer: A, B", CELL, None),
        ("A is correct. B is correct.", CELL, None),
        ("Answer: A cell organelle called the nucleus", CELL, "B"),
        ("A. Mitochondria\nB. Nucleus\nC. Ribosome", CELL, None),
        # one is denied, or several are weighed and one is chosen
        ("D, not B", CELL, "D"),
        ("Answer: B, not A", CELL, "B"),
        ("either B or C; I go with C", CELL, "C"),
        ("Between B and C, I choose C", CELL, "C"),
        ("B or C? B.", CELL, "B"),
        ("(C) Ribosome, because A) makes ATP and B) holds DNA", CELL, "C"),
        ("I would not go with B or C", CELL, None),
        ("I choose B or C", CELL, None),
        # other scripts, fullwidth letters
        ("答案是B", CELL, "B"),
        ("选B", CELL, "B"),
        ("答案：Ｃ", CELL, "C"),
        ("（Ｃ）", CELL, "C"),
        ("B选项正确，C错误", CELL, "B"),
        ("答案是B，不是C", CELL, "B"),
        ("不是B，而是C", CELL, "C"),
        ("B或C", CELL, None),
        # ruled out
        ("It cannot be A. It cannot be B. It cannot be C.", CELL, None),
        ("Eliminate A. Eliminate B.", CELL, None),
        ("It can't be A, B, or C, so D", CELL, "D"),
        ("not A", CELL, None),
        ("A B C D", CELL, None),
        ("A, B, C, D", CELL, None),
        ("It is the nucleus, not the ribosome", CELL, "B"),
        ("The ribosome is wrong, it is the nucleus", CELL, "B"),
        ("It is not true", ["true", "false"], "B"),
        ("It isn't false", ["true", "false"], "A"),
        ("It does not increase", CHANGES, None),
        # an option that begins with a digit is that number
        ("-8 m/s", ["4 m/s", "8 m/s"], None),
        ("0.8 m/s", ["4 m/s", "8 m/s"], None),
        ("1,8 m/s", ["4 m/s", "8 m/s"], None),
        ("18 m/s", ["4 m/s", "8 m/s"], None),
        ("8 m/s^2", ["4 m/s", "8 m/s"], None),
        ("it is 8 m/s.", ["4 m/s", "8 m/s"], "B"),
        ("-3", NUMBERS, None),
        ("3.5", NUMBERS, None),
        ("3/4", NUMBERS, None),
        ("The answer is 3.", NUMBERS, "C"),
        # a letter that belongs to an option's text is no letter of an option
        ("Vitamin C", ["Vitamin A", "Vitamin B", "Vitamin C"], "C"),
        ("It is caused by vitamin D deficiency", VITAMINS, "C"),
        ("**Vitamin D** deficiency", VITAMINS, "C"),
        ("Vitamin D is correct", VITAMINS, "C"),
        ("Vitamin C: yes", VITAMINS, "B"),
        ("Vitamin A is incorrect. Vitamin D is correct.", VITAMINS, "C"),
        ("Vitamin D is wrong, so vitamin C", VITAMINS, "B"),
        ("Not vitamin D but vitamin K", VITAMINS, "D"),
        ("It is not vitamin D", VITAMINS, None),
        ("Vitamin A or vitamin D", VITAMINS, None),
        ("A. Vitamin A\nB. Vitamin C\nC. Vitamin D", VITAMINS, None),
        ("The answer is Hepatitis B", VIRUSES, "C"),
        ("Hepatitis B and D come by blood", VIRUSES[:3], "C"),
        ("It must be group A.", GROUPS, "B"),
        ("The object is at point C", POINTS, "B"),
        ("point C is right", POINTS, "B"),
        ("It is B cells that make antibodies", CELLS, "C"),
        ("blood type B+", BLOOD, "C"),
        ("Answer: B+", BLOOD, "C"),
        ("I would follow plan A.", PLANS, "B"),
        ("Plan B, then plan A, of course", PLANS, "A"),
        # beside such a text a letter of its own still counts
        ("Answer: B", VITAMINS, "B"),
        ("Answer: A", GROUPS, "A"),
        ("The answer is B", BLOOD, "B"),
        ("It must be A.", GROUPS, "A"),
        ("Option B", CELLS, "B"),
        ("Vitamin D, so I choose C", VITAMINS, "C"),
        ("Vitamin D is wrong, so C", VITAMINS, "C"),
        ("I choose D because vitamin C prevents scurvy", VITAMINS, "D"),
        ("D) Vitamin K, since vitamin D is for bones", VITAMINS, "D"),
        ("The answer is D. Vitamin C is for scurvy.", VITAMINS, "D"),
        ("The answer is B, hepatitis C", VIRUSES, "B"),
        ("Hepatitis B (C)", VIRUSES, "C"),
        ("It is at point C, so B.", POINTS, "B"),
        ("The answer is B", ["B", "A", "AB", "O"], "B"),
        ("The answer is both A and B", BOTH, "C"),
        ("It is neither A nor B", BOTH, "D"),
        ("It is A.", ["a ___", "an ___"], "A"),
        ("It is A.", BOTH, "A"),
    ],
)
def test_which_option_an_answer_names(answer: str, choices: list[str], letter: str | None) -> None:
    assert chosen(answer, choices) == letter


@pytest.mark.parametrize(
    ("answer", "choices", "letter"),
    [
        ("It is caused by vitamin D deficiency", VITAMINS, "C"),
        ("The answer is Hepatitis B", VIRUSES, "C"),
        ("It must be group A.", GROUPS, "B"),
        ("Answer: B", POINTS, "B"),
    ],
)
async def test_it_is_right_for_that_option_and_wrong_for_every_other(
    answer: str, choices: list[str], letter: str
) -> None:
    found = {key: (await judge(Choice(), answer, key, choices=choices)).correct for key in "ABCD"}
    assert found == {key: key == letter for key in "ABCD"}


@pytest.mark.parametrize(("answer", "letter"), [("A dog", "B"), ("a dog", "B"), ("A) dog", None)])
def test_an_article_before_an_options_text_is_no_letter(answer: str, letter: str | None) -> None:
    assert chosen(answer, ["cat", "dog", "cow", "hen"]) == letter


@pytest.mark.parametrize("reference", ["C", "c", "New York", "new york."])
async def test_the_reference_is_a_letter_or_a_text(reference: str) -> None:
    assert (await judge(Choice(), "New York", reference, choices=CITIES)).correct
    wrong = await judge(Choice(), "D", reference, choices=CITIES)
    assert not wrong.correct
    assert "C. New York" in wrong.explanation


async def test_naming_every_option_is_wrong() -> None:
    for answer in (None, "A B C D", "A, B, C, D", "Paris, London, New York, York"):
        for reference in "ABC":
            assert not (await judge(Choice(), answer, reference, choices=CITIES)).correct


@pytest.mark.parametrize(
    ("reference", "metadata", "code"),
    [
        ("A", {}, "no_choices"),
        ("A", {"choices": ["only one"]}, "no_choices"),
        ("A", {"choices": "Paris"}, "no_choices"),
        ("A", {"choices": [1, 2]}, "no_choices"),
        ("A", {"choices": ["x"] * 27}, "no_choices"),
        ("E", {"choices": CITIES}, "bad_reference"),
        ("Rome", {"choices": CITIES}, "bad_reference"),
        (None, {"choices": CITIES}, "no_reference"),
    ],
)
async def test_a_task_that_cannot_be_judged(
    reference: str | None, metadata: dict[str, Any], code: str
) -> None:
    with pytest.raises(VerifierError) as caught:
        await judge(Choice(), "A", reference, **metadata)
    assert caught.value.code == code


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda text: repr(text[:12]))
async def test_hostile_answers_are_wrong_and_quick(answer: str) -> None:
    with within(1.0):
        assert not (await judge(Choice(), answer, "C", choices=CITIES)).correct


@pytest.mark.parametrize(
    "part",
    [
        *("A, ", "(A) ", "not A, ", "answer is A ", "A: no. ", "A or ", "A "),
        *("vitamin ", "vitamin D and ", "vitamin  _*_ "),
    ],
)
@pytest.mark.parametrize("choices", [CITIES, VITAMINS])
def test_long_answers_are_read_quickly(part: str, choices: list[str]) -> None:
    with within(0.5):
        chosen(part * 2_000, choices)


@given(st.text(max_size=200))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    assert chosen(text, CITIES) in {None, *"ABCD"}


@given(st.text(max_size=60), st.lists(st.text("A+*_ -.$(b", max_size=12), min_size=2, max_size=4))
def test_any_options_are_read_without_a_fault(text: str, choices: list[str]) -> None:
    assert chosen(text, choices) in {None, *"ABCD"}

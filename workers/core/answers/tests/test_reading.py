import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.answers.equality import same_answer
from workers.core.answers.reading import counted, extract_answer, is_refusal, vote
from workers.core.tests.support import within

LONG = "First we look at what the question says and note every quantity in it. " * 4


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("Answer: 42", "42"),
        ("Reasoning.\nAnswer: 42.", "42"),
        ("answer: Paris", "Paris"),
        ("ANSWER : 7", "7"),
        ("**Answer:** 42", "42"),
        ("**Answer: 42**", "42"),
        ("### Answer: 42", "42"),
        ("> Answer: `x + 1`", "x + 1"),
        ("- Answer: 5", "5"),
        ("Final answer: 3/4", "3/4"),
        ("**Final Answer**: 12", "12"),
        ("So, the answer: 9", "9"),
        ("My final answer: B", "B"),
        ("Answer:\n\n42", "42"),
        ("Answer:\n**Paris**", "Paris"),
        ("Answer: 1\nWait, no.\nAnswer: 2", "2"),
        ("Answer: 1\nWait, that is wrong, it is 2.", "that is wrong, it is 2"),
        ("The answer is B. No, it's C.", "it's C"),
        ("Answer: Lyon\nCorrection: Paris", "Paris"),
        ("Answer: 1\nWait, let me look at that number again, 2? " + LONG, None),
        ("Answer: 1\nActually, this is a well-known riddle.", "1"),
        ("Answer: 1\nNo further steps are needed, as 1 is prime.", "1"),
        ("Answer: 1\nSorry for the long text.", "1"),
        ("Answer: 1\nSorry for the 3 long steps.", "1"),
        ("The answer is 1.\nWait times are 12 minutes.", "1"),
        ("Answer: 1\n\nCorrection factor: 0.5", "1"),
        ("Work.\nAnswer:\n- 72", "72"),
        ("Work.\nAnswer:\n1. 72", "72"),
        ("Answer: > 5", "> 5"),
        ('{"answer": "72", "votes": 5}', "72"),
        ('{\n  "steps": "6 * 12",\n  "answer": 72\n}', "72"),
        ('{"steps": "6 * 12", "answer": 72}', "72"),
        (r'{"answer": "\frac{1}{2}", "votes": 5}', r"\frac{1}{2}"),
        (r'{"answer": "\\frac{1}{2}", "votes": 5}', r"\frac{1}{2}"),
        ("Answer: $n!$", "n!"),
        ("Answer: Paris!!", "Paris"),
        (r"\boxed{7!!}", "7!!"),
        ("I think the final answer: 8 apples", "8 apples"),
        ("Answer: $5$", "5"),
        ("Answer: $5", "$5"),
        (r"Answer: \(x^2\)", "x^2"),
        ("Answer: 3.50", "3.50"),
        ("Answer: 1,000", "1,000"),
        ("Answer: -5", "-5"),
        ("Answer: (B)", "(B)"),
        ('Answer: "yes"', "yes"),
        ("Answer: 10:30", "10:30"),
        ("Answer: …\nAnswer: 4", "4"),
        ("Answer: 4\nAnswer: …", "4"),
        ("The capital of France is Paris. Answer: Paris.", "Paris"),
        ("It is Paris. Answer: Paris. Answer: Paris.", "Paris"),
        ("Answer: Paris. Answer: Rome.", "Rome"),
        ("Answer: Paris. The answer is", "Paris"),
        ("Answer: 4. Answer:", "4"),
        ("42. Final answer: 42. Final answer:", "42"),
        ("Answer: Answer: 12", "12"),
        ("**Answer:** Answer: 9", "9"),
        ("Answer: the answer is 7", "7"),
        ("So the answer is 5. The answer is 6.", "6"),
        ("The answer is: The answer is: 42", "42"),
        ("The answer is:\nThe answer is:\n42", "42"),
        ("The answer is:\nThe answer is:\nThe answer is:", None),
        ("The answer is: \nCairo", "Cairo"),
        ("He gave no answer: silence.", "He gave no answer: silence"),
        # the form that a prompt asked for, copied
        ("Answer: <your answer>", None),
        ("Answer: <number>.", None),
        ("**Answer:** [your answer here]", None),
        ("Final answer: <answer>", None),
        ("Answer: ...", None),
        ("Answer:", None),
        ("The answer is <number>.", None),
        ("Answer: <18>", "Answer: <18>"),
        ("Answer: <5", "<5"),
        ("Answer: a < b > c", "a < b > c"),
        ("It is Paris.\n\nThe answer is: Answer", None),
        ("Answer: Paris\nAnswer: your answer", "Paris"),
        ("The question asks.\n#### 72", "72"),
        ("#### Step 1\nthings\n#### 18", "18"),
        (r"Thus \boxed{42}.", "42"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{\text{a {b} c}} then", r"\text{a {b} c}"),
        (r"\boxed{1} and \boxed{2}", "2"),
        (r"Answer: \boxed{7}", "7"),
        (r"**Answer:** $\boxed{7}$", "7"),
        (r"$$\boxed{x=3}$$", "x=3"),
        (LONG + "The answer is 3.14. That is all there is to say.", "3.14"),
        (LONG + "So the answer is **Paris**.", "Paris"),
        (LONG + "The answer to the question is 12 loaves.\nBye.", "12 loaves"),
        (LONG + "The answer is: 5", "5"),
        ("42", "42"),
        ("Paris.", "Paris"),
        ("  yes \n", "yes"),
        (LONG + "\n14 * 3 + 60 = 102", "102"),
        (LONG + "\nTotal = $1,250.50.", "1,250.50"),
        ("1. 14 * 3 = 42\n2. 5 * 12 = 60\n3. 42 + 60 = 102\n4. 1", "102"),
        ("One line.\nx = 3\nThree lines.\nFour lines.", None),
        (LONG, None),
        ("", None),
        ("...", None),
        ("a\nb", None),
        ("REFUSE: not my field", None),
        (r"\boxed{never closed", r"\boxed{never closed"),
        (LONG + r"\boxed{never closed", None),
        (LONG + "The answer is not 5.", None),
        ("Answer：四十二", "四十二"),
        # headings, tags, boxes without braces
        ("It is so.\n\n## Answer\n\n72", "72"),
        ("Some steps.\n**Answer**\n72 clips", "72 clips"),
        ("Some steps.\n\nFinal Answer\n============\n\n72\n", "72"),
        ("Some steps.\n### The final answer ###\n-72", "-72"),
        ("Line one.\nLine two.\n<answer>72</answer>", "72"),
        ("Line one.\n<answer>\n72\n</answer>\nDone.", "72"),
        ("Line one.\n<answer>The total is 5. The answer is 72.</answer>", "72"),
        ("Line one.\n<final_answer>Paris</final_answer>", "Paris"),
        ("Line one.\n<|begin_of_box|>72<|end_of_box|>", "72"),
        ("Write <answer> tags.\nAnswer: 5", "5"),
        (LONG + r"So \boxed 5", "5"),
        (LONG + r"So $\boxed -72$.", "-72"),
        (LONG + r"So $\boxed\frac{1}{2}$.", r"\frac{1}{2}"),
        (LONG + "\nAntwort: C", "C"),
        # points that end no sentence
        (LONG + "The answer is St. Louis.", "St. Louis"),
        (LONG + "The answer is Mt. Everest. It is high.", "Mt. Everest"),
        (LONG + "The answer is George W. Bush. He won.", "George W. Bush"),
        (LONG + "The answer is J. R. R. Tolkien. He wrote it.", "J. R. R. Tolkien"),
        (LONG + "The answer is Rs. 500. That is all.", "Rs. 500"),
        (LONG + "The answer is A. Option B is wrong.", "A"),
        (LONG + "The answer is vitamin C. It helps.", "vitamin C"),
        (LONG + "The answer is 5 ft. That is all.", "5 ft"),
    ],
)
def test_extract_answer(message: str, answer: str | None) -> None:
    assert extract_answer(message) == answer


@pytest.mark.parametrize(
    ("message", "refused"),
    [
        ("REFUSE: this is law", True),
        ("**REFUSE:** this is law", True),
        ("refuse: this is law", True),
        ("  - REFUSE: x", True),
        ("I looked at it.\nREFUSE: not my field", True),
        ("Answer: 3\nREFUSE: on second thought", True),
        ("REFUSE: unsure\nAnswer: 3", False),
        ("I refuse: never", False),
        ("To refuse, one would write a line.", False),
        ("They had to refuse: it was late.\nAnswer: 3", False),
        ("Do not REFUSE: go on", False),
        ("", False),
    ],
)
def test_is_refusal(message: str, refused: bool) -> None:
    assert is_refusal(message) is refused


@pytest.mark.parametrize(
    ("answers", "winner"),
    [
        ([], None),
        ([None, None], None),
        (["1"], "1"),
        (["1", "2", "2"], "2"),
        (["1,000.0", "7", "1000"], "1,000.0"),
        (["7", "1000", "$1,000"], "1000"),
        (["1/2", "7", "0.5"], "1/2"),
        (["Paris", "london", "PARIS "], "Paris"),
        (["(B)", "A", "b"], "(B)"),
        (["a  b", "c", "A B"], "a  b"),
        (["2", "1", "1", "2"], "2"),
        ([None, "3", None], "3"),
        (["1e3", "1000", "5"], "1e3"),
        (["−5", "4", "-5"], "−5"),
        (["1e999999999", "2", "2"], "2"),
    ],
)
def test_vote(answers: list[str | None], winner: str | None) -> None:
    assert vote(answers) == winner


@pytest.mark.parametrize(
    "spellings",
    [
        ("18 dollars", "$18", "18 clips", "18", "18.00", "1.8e1", "x = 18", "eighteen", "１８"),
        (r"\frac{1}{2}", "0.5", "50%", "1/2", "½", r"\dfrac12"),
        ("C) blue", "C", "(c)", "**C**", r"\boxed{C}", "Option C", "C."),
        ("1'000", "1,000", "1000", "1k", "1 000"),
        ("‑5", "-5", "−5", "minus 5"),
        ("Paris", " paris.", "**Paris**", "PARIS"),
        ("3 dozen", "36"),
        ("50 cents", "$0.50"),
        (r"\frac{\sqrt{3}}{2}", r"\dfrac{\sqrt 3}{2}", r"$\frac{\sqrt3}2$"),
        ("1/3", "0.333"),
        ("x²+1", "x^2+1", "x^2 + 1", "$x^{2}+1$"),
        ("√2", r"\sqrt{2}", r"\sqrt2", "sqrt(2)"),
        ("(1, 2)", "(1,2)", "( 1, 2 )"),
        ("2π", r"2\pi", "2pi"),
        ("∞", r"\infty"),
    ],
)
def test_spellings_of_one_answer_count_together(spellings: tuple[str, ...]) -> None:
    for left in spellings:
        for right in spellings:
            assert same_answer(left, right), (left, right)
    half = len(spellings) // 2
    assert vote(["20", *spellings[:half], "20", *spellings[half:]][:5]) in {*spellings, "20"}
    assert vote(["another", "another", *spellings, spellings[0]]) == spellings[0]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("12", "1,2"),
        ("1/3", "0.33"),
        ("$5", "€5"),
        ("5 m", "5 km"),
        ("-5", "5"),
        ("C) blue", "B) blue"),
        ("A. Smith", "A. Jones"),
        ("Apollo 11", "Voyager 11"),
        ("3 apples and 4 pears", "4"),
        ("18 or 20", "20"),
        ("3B", "3"),
        ("10!", "10"),
        (r"\frac{1}{2^{98}}", r"\frac{1}{2^{99}}"),
        ("no", "not"),
        ("$5", "5%"),
        ("> 18", "18"),
        ("x = 5", "y = 5"),
        ("10²", "102"),
        ("x²", "x2"),
        ("1, 200", "1,200"),
        ("3 1/2", "31/2"),
        ("f'(x)", "f(x)"),
    ],
)
def test_answers_that_differ_count_apart(left: str, right: str) -> None:
    assert not same_answer(left, right)
    assert not same_answer(right, left)


def test_a_group_holds_only_what_equals_all_of_it() -> None:
    assert counted(["50%", "50", "0.5", "0.5"]) == [[0, 1], [2, 3]]
    assert counted(["50%", "0.5", "50"]) == [[0, 1], [2]]


@given(st.text(max_size=300))
def test_any_text_gives_an_answer_or_none(message: str) -> None:
    answer = extract_answer(message)
    assert answer is None or answer.strip() == answer != ""
    assert not (is_refusal(message) and answer)
    same_answer(message, "1")


@given(st.text(alphabet="Answer: \n*_`$\\boxed{}#().3x", max_size=200))
def test_markup_never_breaks_it(message: str) -> None:
    answer = extract_answer(message)
    assert answer is None or answer


@pytest.mark.parametrize(
    "unit",
    [
        "{",
        "\\boxed{",
        "Answer: ",
        "Answer: \n",
        "answer is ",
        "answer to ",
        "*",
        "_ ",
        "$",
        "#",
        "9",
        "\n",
        " ",
        "REFUSE:",
        "REFUSE: \n",
        "refuse ",
        "1,111",
        "$$",
        "**",
        "So the ",
        "answer",
        "< ",
        "=",
        "....",
        "E9",
        "<answer>",
        "\\boxed ",
        "answer\n",
        "The answer is St. ",
    ],
)
def test_hostile_messages_cost_next_to_nothing(unit: str) -> None:
    text = unit * (80_000 // len(unit))
    with within(0.5):
        extract_answer(text)
        is_refusal(text)
        same_answer(text, "1")


@pytest.mark.parametrize(
    "message",
    [
        "; answer" + " " * 16_000 + "x",
        "the\n" * 3_990 + "answer",
        "my\n" * 5_200 + "answer x",
        ("= " + " " * 66 + "1" + " " * 131 + "x\n") * 79,
        ("; answer" + " " * 11) * 800 + "x",
        "*" * 16_000 + "REFUSE x",
    ],
)
def test_no_pattern_takes_long_on_a_message_made_for_it(message: str) -> None:
    with within(0.2):
        extract_answer(message)
        is_refusal(message)

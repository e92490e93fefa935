"""What a model writes for nobody, in every form that servers let through."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.answers import thoughts
from workers.core.answers.thoughts import parted
from workers.core.mas.contribution import read_text

GUESS = "Maybe the answer is 12? Answer: 12\nNo."
SAID = "Answer: 15"
FENCED = "```python\nprint('<think>')\n```\nAnswer: 15"


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"<{tag}>\n{GUESS}\n</{tag}>\n\n{SAID}"
            for tag in ("think", "thinking", "THINK", "Think", "reasoning", "thought", "reflection")
        ),
        f"<think>{GUESS}</think>{SAID}",
        f'<think time="3">{GUESS}</think>{SAID}',
        f"<seed:think>{GUESS}</seed:think>{SAID}",
        f"[THINK]{GUESS}[/THINK]{SAID}",
        f"◁think▷{GUESS}◁/think▷{SAID}",
        f"<inner_monologue>{GUESS}</inner_monologue>{SAID}",
        f"<reasoning_content>{GUESS}</reasoning_content>{SAID}",
        f"<chain_of_thought>{GUESS}</chain_of_thought>{SAID}",
        f"<cot>{GUESS}</cot>{SAID}",
        f"<thinking_process>{GUESS}</thinking_process>{SAID}",
        f"&lt;think&gt;{GUESS}&lt;/think&gt;{SAID}",
        f"<|START_THINKING|>{GUESS}<|END_THINKING|><|START_RESPONSE|>{SAID}<|END_RESPONSE|>",
        f"<|begin_of_thought|>{GUESS}<|end_of_thought|>\n<|begin_of_solution|>{SAID}"
        "<|end_of_solution|>",
        f"<|channel>thought\n{GUESS}<channel|>{SAID}",
        f"Here is my thought process:\n{GUESS}\nHere is my response:\n{SAID}",
        # a closing tag alone: the opening one stands in the prompt
        f"{GUESS}\n</think>\n\n{SAID}",
        f"{GUESS}</thinking>{SAID}",
        f"<think>a<think>{GUESS}</think>{GUESS}</think>{SAID}",
        f"<think>{GUESS}</think>{SAID}\n</think>",
        f"<think>{GUESS}\n```python\nx = 12\n</think>{SAID}",
        f"<think>{GUESS}</think>{SAID}<think>{GUESS}",
        f"<think>{GUESS} 'yes'</think>{SAID}",
        f"<think>I write `</think>` and then {GUESS}</think>{SAID}",
        # gpt-oss
        f"<|channel|>analysis<|message|>{GUESS}<|end|><|start|>assistant<|channel|>final"
        f"<|message|>{SAID}<|return|>",
        f"<|channel|>analysis<|message|>{GUESS}<|end|>\n<|start|>assistant<|channel|>commentary "
        f"to=functions.f <|constrain|>json<|message|>{{}}<|call|><|start|>assistant<|channel|>final"
        f"<|message|>{SAID}",
        f"{GUESS}<|end|><|start|>assistant<|channel|>final <|constrain|>text<|message|>{SAID}",
        f"analysisWe guess. {GUESS}assistantfinal{SAID}",
    ],
)
def test_thoughts_are_kept_apart_from_the_message(text: str) -> None:
    found = parted(text)
    assert found.message == SAID
    assert GUESS.split("\n", maxsplit=1)[0] in found.thoughts
    said = read_text(text, "text")
    assert (said.text, said.answer) == (SAID, "15")


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{GUESS}",
        f"<think>{GUESS}</think>",
        f"{GUESS}</think>",
        f"<reasoning>\n{GUESS}\n</reasoning>\n\n",
        f"<|channel|>analysis<|message|>{GUESS}",
        f"analysisWe guess: {GUESS}",
        f"Here is my thought process: {GUESS}",
    ],
)
def test_thoughts_alone_are_no_answer(text: str) -> None:
    said = read_text(text, "text")
    assert (said.text, said.answer) == ("", None)
    assert "12" in said.thoughts


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        FENCED,
        "Wrap it in `<think>` and `</think>`.\nAnswer: 15",
        'The tag "<think>" opens it. Answer: 15',
        "I think, therefore I am. Answer: 15",
        "analysis of the question: simple.\nAnswer: 15",
        "Let x < think > y.\nAnswer: 15",
        "```\n</think>\n```\nAnswer: 15",
    ],
)
def test_a_text_that_speaks_of_tags_stays_whole(text: str) -> None:
    assert parted(text) == parted(f"  {text}\n")
    assert (parted(text).message, parted(text).thoughts) == (text, "")
    assert read_text(text, "text").answer == "15"


def test_a_program_in_thoughts_is_no_program() -> None:
    draft = "```python\ndef f():\n    return 1\n```"
    said = read_text(f"<think>{draft}</think>\nI cannot do it.", "code")
    assert said.answer is None
    better = read_text(f"<think>{draft}</think>\n{draft.replace('1', '2')}", "code")
    assert better.answer == "def f():\n    return 2"


def test_an_empty_block_leaves_the_message() -> None:
    assert parted("<think>\n\n</think>\n\nAnswer: 15").message == SAID


@given(st.text(alphabet="<>/|think`\n channelfinalmessage", max_size=200))
def test_any_text_is_parted_without_a_fault(text: str) -> None:
    found = parted(text)
    assert found.message == found.message.strip()


@pytest.mark.parametrize(
    "pattern", [each for each in vars(thoughts).values() if isinstance(each, re.Pattern)]
)
def test_no_pattern_repeats_without_a_bound(pattern: re.Pattern[str]) -> None:
    """What is tried at each character is so a constant, whatever text a model writes."""
    assert not re.search(r"(?<!\\)(?:[*+]|\{\d*,\})", pattern.pattern)


@pytest.mark.parametrize("count", [1, 7, 10_000])
def test_each_of_many_lone_closing_tags_ends_thoughts(count: int) -> None:
    found = parted("a</think>" * count + SAID)
    assert (found.message, found.thoughts) == (SAID, "\n\n".join("a" * count))

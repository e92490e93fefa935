"""What a process reward model reads: a problem, and an answer step by step.

The problem is the subtask, after the earlier ones with their answers. A step is a paragraph of the
agent's text. If the last one doesn't end with the agent's answer, one more step says it. Each kind
of model has its own format, and judges the answer so far at the end of each step:

    process     a chat of system, user (the problem) and assistant, whose steps each end in
                <extra_0>: there the head says it (Qwen2.5-Math-PRM; its card)
    step_tag    the problem and “Step 1: … ки”, a line each: at ки the next token is + or −
                (Math-Shepherd, Wang et al. 2024, arXiv 2312.08935; its card)
    chat_turns  a chat in which the user tells the problem with the first step, then a step a turn,
                and the assistant says + or − of each; of those before the last it said +
                (RLHFlow's Llama3.1-8B-PRM; its evaluation)

r is the verdict on the last step, as in ReSo's published code, which asks for one reward at the end
of an answer. The tokens end at the place of this verdict: later tokens change nothing in a model
that reads from left to right.

Agents' text is hostile: tokens that a model doesn't read as text, such as the marks of a turn, are
removed from it. If a record is too long, the earliest answers are left out. If it is still too
long, it is not judged, because half a problem is another problem.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from workers.core.errors import MethodError
from workers.core.weights.files import unreadable

StepForm = Literal["process", "step_tag", "chat_turns"]

SYSTEM = "Please reason step by step, and put your final answer within \\boxed{}."
"""The system prompt that Qwen2.5-Math-PRM was trained with."""
PROCESS_TAG = "<extra_0>"
STEP_TAG = "ки"
GOOD, BAD = "+", "-"
ANSWER = "The answer is: "

_PARAGRAPHS = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Solution:
    """`before`: earlier subtasks with their answers, the earliest first."""

    before: tuple[str, ...]
    subtask: str
    steps: tuple[str, ...]

    @staticmethod
    def of(record: str) -> Solution:
        """The solution in a record written by `rewards.record`."""
        told = json.loads(record)
        steps = [step.strip() for step in _PARAGRAPHS.split(told["message"]) if step.strip()]
        if not steps or not _ends_with(steps[-1], told["answer"]):
            steps.append(f"{ANSWER}{told['answer']}")
        return Solution(
            before=tuple(
                f"{each['subtask']}\n{ANSWER}{each['answer']}" for each in told["answers_before"]
            ),
            subtask=told["subtask"],
            steps=tuple(steps),
        )

    def problem(self, *, skipped: int = 0) -> str:
        """The problem, without the `skipped` earliest answers."""
        return "\n\n".join((*self.before[skipped:], self.subtask))


def _ends_with(step: str, answer: str) -> bool:
    """Whether only punctuation follows the answer, and it is not part of a longer number or word: a
    program that calculates the answer does not state it."""
    return re.search(rf"(?<![\w.\-−]){re.escape(answer)}[\s.!*$}}]*$", step) is not None


def process(tokenizer: Any, problem: str, steps: list[str]) -> list[int]:
    chat = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": problem},
        {"role": "assistant", "content": "".join(f"{step}{PROCESS_TAG}" for step in steps)},
    ]
    text: str = tokenizer.apply_chat_template(chat, tokenize=False)
    end = text.rfind(PROCESS_TAG) + len(PROCESS_TAG)
    return _encoded(tokenizer, text[:end])


def step_tag(tokenizer: Any, problem: str, steps: list[str]) -> list[int]:
    told = "\n".join(
        f"{_numbered(step, place)} {STEP_TAG}" for place, step in enumerate(steps, start=1)
    )
    return list(tokenizer.encode(f"{problem} {told}"))


def chat_turns(tokenizer: Any, problem: str, steps: list[str]) -> list[int]:
    chat = [{"role": "user", "content": f"{problem} {steps[0]}"}]
    for step in steps[1:]:
        chat += [{"role": "assistant", "content": GOOD}, {"role": "user", "content": step}]
    text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    return _encoded(tokenizer, text)


FORMS: dict[StepForm, Callable[[Any, str, list[str]], list[int]]] = {
    "process": process,
    "step_tag": step_tag,
    "chat_turns": chat_turns,
}
TAGS: dict[StepForm, str] = {"process": PROCESS_TAG, "step_tag": STEP_TAG}


class StepReader:
    """The tokens of records for a model, and which of its labels say bad and good."""

    def __init__(self, name: str, tokenizer: Any, form: StepForm, *, max_tokens: int) -> None:
        """Raises MethodError if the tokenizer lacks something that the form needs."""
        self._tokenizer = tokenizer
        self._form = FORMS[form]
        self._max_tokens = max_tokens
        marks = [re.escape(mark) for mark in tokenizer.get_added_vocab() if mark.strip()]
        self._marks = re.compile("|".join(sorted(marks, key=len, reverse=True)) or r"(?!)")
        _require_form(name, tokenizer, form)
        self.labels = (0, 1) if form == "process" else _labels(name, tokenizer)

    def tokens(self, record: str) -> list[int] | None:
        """The tokens up to the place of the reward. None if the record is too long."""
        solution = Solution.of(record)
        steps = [self._plain(step) for step in solution.steps]
        for skipped in range(len(solution.before) + 1):
            problem = self._plain(solution.problem(skipped=skipped))
            found = self._form(self._tokenizer, problem, steps)
            if len(found) <= self._max_tokens:
                return found
        return None

    def _plain(self, text: str) -> str:
        return self._marks.sub(" ", text)  # a space, so that no new mark comes of what is left


def _require_form(name: str, tokenizer: Any, form: StepForm) -> None:
    from jinja2 import TemplateError

    if form != "step_tag" and not tokenizer.chat_template:
        raise MethodError(
            code="no_chat_template",
            message=f"The model “{name}” has no chat template, but it gets the steps as a chat.",
            remedy=(
                "Add the tokenizer's files of the published model to its folder, or choose "
                "another model."
            ),
        )
    try:
        found = FORMS[form](tokenizer, "What is 1 + 1?", ["I add.", "It is 2."])
        begins = form != "chat_turns" or _begins_a_turn(tokenizer)
    except (TemplateError, ValueError) as error:
        raise unreadable(name, error) from error
    tag = TAGS.get(form)
    if tag is not None and tokenizer.decode(found[-1:]).strip() != tag:
        raise MethodError(
            code="no_step_tag",
            message=f"The model “{name}” has no token “{tag}”, at which it would judge a step.",
            remedy="Choose a process reward model with its published tokenizer"
            + (", or another reward_form." if form == "step_tag" else "."),
        )
    if not begins:
        raise MethodError(
            code="no_assistant_turn",
            message=(
                f"With the chat template of the model “{name}”, the assistant can't begin with "
                "+ or −."
            ),
            remedy="Choose another reward model, or another reward_form.",
        )


def _begins_a_turn(tokenizer: Any) -> bool:
    """Whether the assistant's text is at the place where it is asked to write."""
    asked = [{"role": "user", "content": "1"}]
    said = [*asked, {"role": "assistant", "content": GOOD}]
    before = tokenizer.apply_chat_template(asked, tokenize=False, add_generation_prompt=True)
    after: str = tokenizer.apply_chat_template(said, tokenize=False)
    return after.startswith(before + GOOD)


def _labels(name: str, tokenizer: Any) -> tuple[int, int]:
    """The tokens of − and +, found like in the published code: each the last token of its text."""
    bad, good = (_encoded(tokenizer, label)[-1:] for label in (BAD, GOOD))
    if not bad or not good or bad == good or tokenizer.unk_token_id in (*bad, *good):
        raise MethodError(
            code="no_reward_labels",
            message=(
                f"The model “{name}” has no tokens for + and −, with which it would judge a step."
            ),
            remedy="Choose another reward model.",
        )
    return bad[0], good[0]


def _numbered(step: str, place: int) -> str:
    return step if re.match(r"Step \d+:", step) else f"Step {place}: {step}"


def _encoded(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False))

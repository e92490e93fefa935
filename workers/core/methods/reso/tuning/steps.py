"""What a process reward model reads: a problem, and an answer step by step.

The problem is the subtask, after those that came before it with their answers. A step is a
paragraph of what the agent wrote; where the last one does not end with the agent's answer, one more
says it. Each kind of model has its own words for it, and says at the end of each step what the
answer is worth so far:

    process     a chat of system, user (the problem) and assistant, whose steps each end in
                <extra_0>: there the head says it (Qwen2.5-Math-PRM; its card)
    step_tag    the problem and “Step 1: … ки”, a line each: at ки the next token is + or −
                (Math-Shepherd, Wang et al. 2024, arXiv 2312.08935; its card)
    chat_turns  a chat in which the user tells the problem with the first step, then a step a turn,
                and the assistant says + or − of each; of those before the last it said +
                (RLHFlow's Llama3.1-8B-PRM; its evaluation)

r is what is said of the last step, as in ReSo's published code, which asks for one reward at the
end of an answer. The tokens end at the place where it is said: what follows changes nothing in a
model that reads from left to right.

What agents wrote is hostile: tokens that a model does not read as text, such as the marks of a
turn, are taken out of it. Where it is too long, the earliest of the answers before are left out;
where that is not enough it is not judged, since half a problem is another one.
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
"""What Qwen2.5-Math-PRM was trained with."""
PROCESS_TAG = "<extra_0>"
STEP_TAG = "ки"
GOOD, BAD = "+", "-"
ANSWER = "The answer is: "

_PARAGRAPHS = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Solution:
    """`before`: subtasks with their answers, the earliest first."""

    before: tuple[str, ...]
    subtask: str
    steps: tuple[str, ...]

    @staticmethod
    def of(record: str) -> Solution:
        """Of a record as `rewards.record` writes it."""
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
        """Without the earliest of the answers before."""
        return "\n\n".join((*self.before[skipped:], self.subtask))


def _ends_with(step: str, answer: str) -> bool:
    """Nothing but marks comes after it, and it is no part of a longer number or word: a program
    that calculates the answer does not say it."""
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
        """Raises MethodError for a tokenizer that has not what the form needs."""
        self._tokenizer = tokenizer
        self._form = FORMS[form]
        self._max_tokens = max_tokens
        marks = [re.escape(mark) for mark in tokenizer.get_added_vocab() if mark.strip()]
        self._marks = re.compile("|".join(sorted(marks, key=len, reverse=True)) or r"(?!)")
        _require_form(name, tokenizer, form)
        self.labels = (0, 1) if form == "process" else _labels(name, tokenizer)

    def tokens(self, record: str) -> list[int] | None:
        """They end where the reward is said. None for a record that is too long."""
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
            message=f"The model “{name}” has no chat template, and is told the steps in a chat.",
            remedy="Put the tokenizer's files of the published model beside it, or choose another.",
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
            message=f"The model “{name}” has no token “{tag}”, at which it would say what a step "
            "is worth.",
            remedy="Choose a process reward model with the tokenizer that it was published with"
            + (", or another reward_form." if form == "step_tag" else "."),
        )
    if not begins:
        raise MethodError(
            code="no_assistant_turn",
            message=f"The chat template of the model “{name}” does not let the assistant begin "
            "with + or −.",
            remedy="Choose another reward model, or another reward_form.",
        )


def _begins_a_turn(tokenizer: Any) -> bool:
    """Where the assistant is asked to write is where what it wrote stands."""
    asked = [{"role": "user", "content": "1"}]
    said = [*asked, {"role": "assistant", "content": GOOD}]
    before = tokenizer.apply_chat_template(asked, tokenize=False, add_generation_prompt=True)
    after: str = tokenizer.apply_chat_template(said, tokenize=False)
    return after.startswith(before + GOOD)


def _labels(name: str, tokenizer: Any) -> tuple[int, int]:
    """The tokens of − and +, as the published code finds them: each the last of its text's."""
    bad, good = (_encoded(tokenizer, label)[-1:] for label in (BAD, GOOD))
    if not bad or not good or bad == good or tokenizer.unk_token_id in (*bad, *good):
        raise MethodError(
            code="no_reward_labels",
            message=f"The model “{name}” has no tokens for + and −, with which it would say what "
            "a step is worth.",
            remedy="Choose another reward model.",
        )
    return bad[0], good[0]


def _numbered(step: str, place: int) -> str:
    return step if re.match(r"Step \d+:", step) else f"Step {place}: {step}"


def _encoded(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False))

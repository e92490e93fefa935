"""The prompt wordings that `bench/wordings.py` compares: what a careful user would try.

A wording is a system message and the user's text around the question. A system message of None is
not sent, so the model's chat template may add its own. `shipped` are the studio's current prompts.
For a debate, `system` is what a debater of the second round is told, with its name at `{name}`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.core.llm.types import ChatMessage
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.prompts import agent_messages
from workers.core.methods import chain_of_thought, direct
from workers.core.methods.debate import debater
from workers.core.methods.program_writer import PROGRAM_WRITER
from workers.core.methods.wordings import SMALL_CHECK, SMALL_DIRECT, SMALL_STEPS, worded
from workers.core.specs import AnswerForm, EndpointSpec, RoleSpec

DEBATE = "debate"
ROOM_TOKENS = 4_096
QUESTION = "{question}"
SHIPPED: dict[str, tuple[RoleSpec, Mapping[AnswerForm, str]]] = {
    "direct": (direct.ROLE, SMALL_DIRECT),
    "chain_of_thought": (chain_of_thought.ROLE, SMALL_STEPS),
    "program": (PROGRAM_WRITER, {}),
}
"""Each method's role, and its prompts for a small model."""


@dataclass(frozen=True, slots=True)
class Wording:
    """`user` has the question at `{question}`. Nothing else in braces is replaced."""

    method: str
    name: str
    system: str | None = None
    user: str = QUESTION

    @property
    def runs_program(self) -> bool:
        return self.method == "program"

    def messages(self, question: str) -> tuple[ChatMessage, ...]:
        user = ChatMessage(role="user", content=self.user.replace(QUESTION, question))
        if self.system is None:
            return (user,)
        return ChatMessage(role="system", content=self.system), user


def shipped(
    method: str, question: str, *, form: AnswerForm, endpoint: EndpointSpec
) -> tuple[ChatMessage, ...]:
    """The messages that the studio's method of that name sends for this question."""
    role, prompts = SHIPPED[method]
    return agent_messages(
        worded(role, prompts, endpoint, form),
        query=question,
        inputs=(),
        room_tokens=ROOM_TOKENS,
        small_model=endpoint.is_small,
        answer_form=form,
        runs_program=method == "program",
    )


def second_round(
    number: int,
    said: Sequence[str],
    question: str,
    *,
    form: AnswerForm,
    endpoint: EndpointSpec,
    prompt: str | None = None,
) -> tuple[ChatMessage, ...]:
    """What the debater of that number, from 0, reads after the first round. `prompt` None: as the
    studio's method says it."""
    roles = [debater(place + 1, first=False) for place in range(len(said))]
    role = worded(roles[number], SMALL_CHECK, endpoint, form)
    if prompt is not None:
        role = role.model_copy(update={"prompt": prompt.replace("{name}", role.name)})
    inputs = [
        AgentOutcome(agent_id=f"a{place + 1}", name=each.name, message=text)
        for place, (each, text) in enumerate(zip(roles, said, strict=True))
    ]
    return agent_messages(
        role,
        query=question,
        inputs=inputs,
        room_tokens=ROOM_TOKENS,
        small_model=endpoint.is_small,
        answer_form=form,
    )


STEP_BY_STEP = "Solve the problem step by step."
NUMBERED = "Work through the question in short numbered steps. Then give the answer."
LAST_LINE = "End with your final answer on one last line in this form:\nAnswer: …"
ONE_BLOCK = "Write the whole program in one ```python block."
TEXT_WORDINGS = (
    Wording(
        "direct",
        "empty system, answer only first",
        "",
        "Answer the question. Give only the answer, without an explanation.\n\n"
        f"Question:\n{{question}}\n\n{LAST_LINE}",
    ),
    Wording(
        "chain_of_thought",
        "empty system, numbered steps first",
        "",
        f"{NUMBERED}\n\nQuestion:\n{{question}}\n\nSolve it step by step first.\n{LAST_LINE}",
    ),
    Wording(
        "direct", "system, a line", "Reply with one line and nothing else: 'Answer: <answer>'."
    ),
    Wording("direct", "system, number line", "Give only a line 'Answer: <number>'."),
    Wording("direct", "user, final answer only", None, "{question}\n\nGive only the final answer."),
    Wording(
        "direct", "empty system, final answer only", "", "{question}\n\nGive only the final answer."
    ),
    Wording(
        "chain_of_thought",
        "system, number line",
        f"{STEP_BY_STEP} End with a line 'Answer: <number>'.",
    ),
    Wording(
        "chain_of_thought",
        "system, answer line",
        f"{STEP_BY_STEP} End with a line 'Answer: <answer>'.",
    ),
    Wording(
        "chain_of_thought",
        "system, numbered steps",
        "Work through the problem in short numbered steps. End with a line 'Answer: <answer>'.",
    ),
    Wording(
        "chain_of_thought",
        "system, boxed",
        "Please reason step by step, and put your final answer within \\boxed{}.",
    ),
    Wording(
        "chain_of_thought",
        "empty system, boxed",
        "",
        "{question}\n\nPlease reason step by step, and put your final answer within \\boxed{}.",
    ),
    Wording(
        "chain_of_thought",
        "empty system, boxed first",
        "",
        "Please reason step by step, and put your final answer within \\boxed{}.\n\n{question}",
    ),
    Wording(
        "chain_of_thought", "user, let's think", None, "{question}\n\nLet's think step by step."
    ),
    Wording(
        "chain_of_thought",
        "user, answer line",
        None,
        f"{{question}}\n\n{STEP_BY_STEP} End with a line 'Answer: <answer>'.",
    ),
    Wording(
        "chain_of_thought",
        "empty system, answer line",
        "",
        f"{{question}}\n\n{STEP_BY_STEP} End with a line 'Answer: <answer>'.",
    ),
    Wording(
        "program",
        "system, prints",
        "Write a short Python program that solves the problem and prints the answer with print(). "
        "Write only the program, in one ```python block.",
    ),
    Wording(
        "program",
        "system, a step a line",
        "Solve the problem with a short Python program: one variable for each quantity, one step a "
        "line, and the answer printed last. Write only the program, in one ```python block.",
    ),
    Wording(
        "program",
        "user, prints",
        None,
        "{question}\n\nWrite a short Python program that computes the answer step by step and "
        "prints it on the last line with print(). Write only the program, in one ```python block.",
    ),
    Wording(
        "program",
        "system, reasons first",
        "First say in one or two sentences how to solve the problem. Then write a short Python "
        "program in one ```python block that prints the answer.",
    ),
    Wording(DEBATE, "steps alone", SMALL_STEPS["text"]),
    Wording(
        DEBATE,
        "others as information",
        "Using the solutions of the other agents as additional information, please reason step by "
        "step, and put your final answer within \\boxed{}.",
    ),
    Wording(
        DEBATE,
        "compare, boxed",
        "You are {name}. Compare your last message with those of the others, keep what is right, "
        "mend what is wrong, and put your final answer within \\boxed{}.",
    ),
    Wording(
        DEBATE,
        "compare",
        "You are {name}. Compare your last message with those of the others, keep what is right, "
        "mend what is wrong, and give your updated answer.",
    ),
)
CODE_WORDINGS = (
    Wording(
        "chain_of_thought",
        "empty system, numbered steps first",
        "",
        f"{NUMBERED}\n\nQuestion:\n{{question}}\n\n{ONE_BLOCK}",
    ),
    Wording(
        "direct",
        "system, one block",
        "Write the Python code. Reply with one ```python block and nothing else.",
    ),
    Wording("direct", "user alone"),
    Wording(
        "direct",
        "user, one block",
        None,
        "{question}\n\nWrite the whole program in one ```python block.",
    ),
    Wording(
        "chain_of_thought",
        "system, plan then code",
        "Think step by step about how to solve the task. Then write the whole program in one "
        "```python block.",
    ),
    Wording(
        "chain_of_thought",
        "user, plan then code",
        None,
        "{question}\n\nLet's think step by step, and then write the whole program in one "
        "```python block.",
    ),
    Wording(
        "chain_of_thought",
        "system, edge cases",
        "Explain your solution in a few short steps, edge cases included, and end with the whole "
        "program in one ```python block.",
    ),
    Wording(
        "chain_of_thought",
        "empty system, edge cases",
        "",
        "{question}\n\nExplain your solution in a few short steps, edge cases included, and end "
        "with the whole program in one ```python block.",
    ),
    Wording(DEBATE, "steps alone", SMALL_STEPS["code"]),
    Wording(
        DEBATE,
        "others as information",
        "Using the programs of the other agents as additional information, explain your solution "
        "in a few short steps, edge cases included, and end with the whole program in one "
        "```python block.",
    ),
    Wording(
        DEBATE,
        "compare",
        "You are {name}. Compare your last message with those of the others, keep what is right, "
        "mend what is wrong, and give your updated answer.",
    ),
)
WORDINGS: dict[AnswerForm, tuple[Wording, ...]] = {"text": TEXT_WORDINGS, "code": CODE_WORDINGS}

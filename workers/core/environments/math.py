"""A reasoner and a tool user answer a question until they agree (AT-GRPO, §5.1).

In each turn the reasoner answers in words and the tool user by a program that prints its answer.
Each reads what the other said last. Either may also answer alone, once, as a baseline.

Deviations, and choices where the paper is silent:
 1. Each message is rewarded as if its answer were the team's: nothing else of its turn is known
    when its branches are compared.
 2. Agents agree if their answers are the same by the studio's one notion (`same_answer`). They are
    compared when both have spoken in the turn.
 3. If the turns are used up, the tool user's last answer is the team's, because it was computed;
    the reasoner's, if the tool user has none.
 4. The format of the reasoner's message is right if it names an answer in an explicit form, such as
    “Answer: 42” or LaTeX's \\boxed.
 5. Without a reference no message is rewarded for being right. The other parts stay.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from workers.core.answers.equality import same_answer
from workers.core.answers.quantities import is_number
from workers.core.answers.reading import explicit_answer, extract_answer
from workers.core.answers.thoughts import parted
from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.registry import VERIFIERS
from workers.core.benchmarks.worked_solutions import as_program, in_words, solution_in
from workers.core.environments.base import Acted, EpisodeError, Order, Reward, about, cut
from workers.core.environments.programs import ran
from workers.core.specs import RoleSpec, TaskSpec

Plays = Literal["both", "reasoner", "tool_user"]
REASONER, TOOL_USER = 0, 1
NUMERIC = ("numeric", "latex")
"""The verifiers of tasks with a value as their answer."""
TEXT_CHARS, OUTPUT_CHARS, ANSWER_CHARS = 4_000, 1_000, 200
"""What other agents and pages are shown of a message, an output and an answer."""


_REASONER = RoleSpec(
    key="math-reasoner",
    name="Reasoner",
    family="mathematics",
    description="Solves the problem in words, step by step.",
    prompt=(
        "You solve a problem in words, step by step. End with a line that gives the answer alone, "
        "like this one: Answer: 42"
    ),
)
_TOOL_USER = RoleSpec(
    key="math-tool-user",
    name="Tool user",
    family="code",
    description="Solves the problem by a Python program that prints the answer.",
    prompt=(
        "You solve a problem by a Python program. It has the standard library and no input. Its "
        "last line of output is the answer alone. Answer with one ```python block."
    ),
)
_BESIDE_PROGRAM = (
    "Another agent solves the problem by a program. If you see its program and output and it "
    "answers otherwise than you did, find out who is wrong before you answer again."
)
_BESIDE_WORDS = (
    "Another agent solves the problem in words. If you see its answer, check it by calculating; "
    "do not copy it."
)


@dataclass(frozen=True, slots=True)
class Said:
    """What an agent said last. `text`: its message, or its program. `right` is None if nothing says
    what is right."""

    text: str
    answer: str | None
    output: str = ""
    right: bool | None = None


@dataclass(frozen=True, slots=True)
class Solving:
    """`spoken`: who has spoken in this turn."""

    task: TaskSpec
    turn: int = 0
    reasoner: Said | None = None
    tool_user: Said | None = None
    spoken: frozenset[int] = frozenset()

    @property
    def agreed(self) -> bool:
        answers = [said.answer if said else None for said in (self.reasoner, self.tool_user)]
        match answers:
            case [str() as worded, str() as computed]:
                return same_answer(worded, computed)
        return False

    @property
    def team(self) -> Said | None:
        """Whose answer is the team's."""
        return next(
            (said for said in (self.tool_user, self.reasoner) if said and said.answer is not None),
            None,
        )


@dataclass(frozen=True)
class MathTeam:
    plays: Plays = "both"

    key: ClassVar[str] = "math"
    undemonstrated: ClassVar[str] = (
        "Set cold_weak to 0 and choose tasks with worked solutions, such as GSM8K's, or set "
        "cold_steps to 0."
    )

    @property
    def name(self) -> str:
        return {
            "both": "Mathematics, two agents",
            "reasoner": "Mathematics, the reasoner alone",
            "tool_user": "Mathematics, the tool user alone",
        }[self.plays]

    @property
    def description(self) -> str:
        return (
            "One agent answers in words, the other by a program, until their answers are the same."
        )

    @property
    def roles(self) -> tuple[RoleSpec, ...]:
        roles = (_REASONER, _TOOL_USER)
        if self.plays == "both":
            return tuple(
                role.model_copy(update={"prompt": f"{role.prompt} {together}"})
                for role, together in zip(roles, (_BESIDE_PROGRAM, _BESIDE_WORDS), strict=True)
            )
        return (roles[self.part(0)],)

    def part(self, agent: int) -> int:
        """REASONER or TOOL_USER."""
        return TOOL_USER if self.plays == "tool_user" else agent

    def begin(self, task: TaskSpec) -> Solving:
        return Solving(task)

    def require_rewards(self, task: TaskSpec) -> None:
        if not task.reference or task.verifier not in NUMERIC:
            raise EpisodeError(f"{about(task)} has no reference answer that is a value.")
        if task.verifier == "numeric" and not is_number(task.reference):
            raise EpisodeError(f"{about(task)} has a reference that is not a number.")

    def observation(self, state: Solving, agent: int) -> str:
        parts = [state.task.query]
        reasoner, tool_user = state.reasoner, state.tool_user
        is_reasoner = self.part(agent) == REASONER
        if reasoner:
            whose = "Your last answer" if is_reasoner else "The other agent's answer"
            parts.append(f"{whose}, in words:\n\n{cut(reasoner.text, TEXT_CHARS)}")
        if tool_user:
            whose = "The other agent's" if is_reasoner else "Your last"
            program = cut(tool_user.text, TEXT_CHARS) or "(none)"
            parts.append(f"{whose} program:\n\n```python\n{program}\n```")
            parts.append(f"It printed:\n\n{cut(tool_user.output, OUTPUT_CHARS) or '(nothing)'}")
        return "\n\n".join(parts)

    def heard(self, agent: int, *, order: Order, later: bool) -> Sequence[int]:
        if self.plays != "both":
            return []  # an agent alone speaks once
        if later:
            return [TEXT_CHARS, TEXT_CHARS, OUTPUT_CHARS]
        return [TEXT_CHARS] if agent == TOOL_USER and order == "sequential" else []

    async def act(self, state: Solving, agent: int, message: str) -> Acted[Solving]:
        message, part = parted(message).message, self.part(agent)
        if part == REASONER:
            answer = extract_answer(message)
            own = {"format": 0.2 * (explicit_answer(message) is not None)}
            said = Said(message, answer)
        else:
            done = await ran(message)
            answer = done.printed
            own = {"build": 0.1 * done.builds, "run": 0.1 * done.runs}
            said = Said(done.program, answer, done.output)
        right = await _is_right(state.task, answer)
        team = {} if right is None else {"right": 1.0 * right}
        own |= {} if right is None else {"right": 0.8 * right}
        said = replace(said, right=right)
        spoken = state.spoken | {part}
        after = (
            replace(state, reasoner=said, spoken=spoken)
            if part == REASONER
            else replace(state, tool_user=said, spoken=spoken)
        )
        return Acted(after, Reward(team, own), cut(answer or "", ANSWER_CHARS))

    def demonstration(
        self, state: Solving, agent: int, generator: random.Random, *, weak: bool
    ) -> str | None:
        """By the task's worked solution. There is no weak player."""
        solution, reference = solution_in(state.task.metadata), state.task.reference
        if weak or not solution or not reference:
            return None
        if self.part(agent) == REASONER:
            return f"{in_words(solution)}\n\nAnswer: {reference}"
        program = as_program(solution, reference)
        return program and f"```python\n{program}\n```"

    def turned(self, state: Solving) -> Solving:
        return replace(state, turn=state.turn + 1, spoken=frozenset())

    def ended(self, state: Solving) -> str | None:
        if len(state.spoken) < len(self.roles):
            return None
        if self.plays != "both":
            return "answered"
        return "agreed" if state.agreed else None

    def solved(self, state: Solving) -> bool:
        return state.team is not None and bool(state.team.right)

    def answer(self, state: Solving) -> str:
        return (state.team and state.team.answer) or ""

    def picture(self, state: Solving) -> dict[str, Any]:
        return {
            "kind": self.key,
            "turn": state.turn + 1,
            "reasoner": _pictured(state.reasoner),
            "tool_user": _pictured(state.tool_user),
            "agreed": state.agreed,
        }


def _pictured(said: Said | None) -> dict[str, Any] | None:
    if said is None:
        return None
    return {
        "text": cut(said.text, TEXT_CHARS),
        "output": cut(said.output, OUTPUT_CHARS),
        "answer": said.answer and cut(said.answer, ANSWER_CHARS),
        "right": said.right,
    }


async def _is_right(task: TaskSpec, answer: str | None) -> bool | None:
    """None if nothing says what is right."""
    if not task.reference or task.verifier not in NUMERIC:
        return None
    try:
        verdict = await VERIFIERS[task.verifier].verify(task, answer=answer, message="")
    except VerifierError:
        return None
    return verdict.correct

"""What later prompts hold of others, beside what environments say of it."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from workers.core.benchmarks.games.episodes import GAMES, episodes
from workers.core.benchmarks.games.plan_path import PlanPathOptions
from workers.core.environments.base import Environment
from workers.core.environments.code import CodeTeam
from workers.core.environments.games import PlanPathTeam
from workers.core.environments.math import MathTeam
from workers.core.environments.tests.saying import after
from workers.core.environments.tests.test_code import TASK as CODE
from workers.core.specs import TaskSpec

(WAYS,) = episodes(GAMES["plan_path"], PlanPathOptions(size=5), split="train", count=1, seed=0)
SUM = TaskSpec(query="1 + 1", reference="2", verifier="numeric")
HEADING = 60
"""Characters around a text."""


def words(chars: int) -> str:
    return ("So it goes on. " * chars)[:chars]


def program(chars: int) -> str:
    """It prints as much."""
    return f"```python\n# {words(chars - 60)}\nprint('9' * {chars})\n```"


def wrong(chars: int) -> str:
    return f"```python\n# {words(chars - 60)}\ndef double(n):\n    return 1\n```"


def ten_tests(chars: int) -> str:
    lines = [f"assert double({'1' * (chars // 12)} + {at}) == 6" for at in range(10)]
    return "\n".join(["```python", *lines, "```"])


def way(chars: int) -> str:
    return "Answer: " + ", ".join(["up", "down"] * (chars // 10))


Says = Callable[[int], str]
CASES: dict[str, tuple[Environment[Any], TaskSpec, Sequence[Says]]] = {
    "math": (MathTeam(), SUM, (words, program)),
    "alone": (MathTeam("reasoner"), SUM, (words,)),
    "code": (CodeTeam(), CODE, (wrong, ten_tests)),
    "answers": (PlanPathTeam(proposes="answer"), WAYS, (way, way)),
    "programs": (PlanPathTeam(), WAYS, (program, way)),
}


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("chars", [300, 900, 12_000])
@pytest.mark.parametrize("case", CASES)
async def test_prompts_hold_no_more_of_others_than_is_said(case: str, chars: int) -> None:
    team, task, says = CASES[case]
    said = [say(chars) for say in says]
    first = [team.observation(team.begin(task), agent) for agent in range(len(said))]
    for turn in (0, 1) if case != "alone" else (0,):
        for agent in range(len(said)):
            messages = [*said * turn, *said[:agent]]
            state = await after(team, task, *messages)
            if turn and not agent:
                state = team.turned(state)
            held = len(team.observation(state, agent)) - len(first[agent])
            texts = team.heard(agent, order="sequential", later=turn > 0)
            most = sum(min(text, chars) + HEADING for text in texts)
            assert held <= most, (turn, agent)
            if case in ("math", "code") and turn and chars < 12_000:
                assert held > 1.5 * chars, "more than one message is in it"


def test_agents_that_speak_at_once_hear_nothing_in_the_first_turn() -> None:
    for team, _, says in CASES.values():
        assert not team.heard(len(says) - 1, order="parallel", later=False)

"""Scripts that are played side by side, turn by turn: all that wait are answered at once."""

import pytest

from workers.core.scripts.blocks import Block, Message, ensemble
from workers.core.scripts.session import ScriptLimits, Session
from workers.core.scripts.tests.support import several

CONSENSUS = """\
from workflow import agent, ensemble, deliver

deliver(ensemble([agent(f"S{n}", "Solve it.") for n in range(3)], by="consensus", rounds=1))
"""
QUICK = ScriptLimits(seconds=3.0)


@pytest.mark.parametrize(
    "team",
    [CONSENSUS, ensemble(several("A B C"), by="consensus", rounds=1)],
    ids=["script", "team"],
)
async def test_all_calls_that_wait_come_at_once_however_many_answers_they_follow(
    sandbox: None, team: str | Block
) -> None:
    turns: list[list[int]] = []
    async with Session(team, "How many?", QUICK) as session:
        while calls := await session.settled():
            turns.append(list(calls))
            assert await session.settled() == calls, "until they are answered"
            for number in calls:
                session.answer(number, Message("S", f"{number}", f"{number}"))
        assert session.result.ending == "delivered"
    assert turns == [[1, 2, 3], [4, 5, 6]]


async def test_a_script_that_ends_without_a_call_is_settled(sandbox: None) -> None:
    async with Session("from workflow import deliver\ndeliver('4')", "How many?", QUICK) as session:
        assert await session.settled() == {}
        assert session.result.message == Message("", "4")

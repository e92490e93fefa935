"""Scripts in the real sandbox, and teams that are data: how calls come, and how a script ends."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace

import pytest

from workers.core.scripts.blocks import NAMES, Block, Call, Message, ensemble, reflection, sequence
from workers.core.scripts.meaning import meaning_of
from workers.core.scripts.problems import ScriptError
from workers.core.scripts.session import (
    ScriptLimits,
    ScriptResult,
    Session,
    played,
    warm_scripts,
)
from workers.core.scripts.tests.sandboxes import none_left, running
from workers.core.scripts.tests.support import Says, message_of, one, saying, several
from workers.core.tools import sandbox, sandbox_command

QUICK = ScriptLimits(seconds=3.0)


def responding(says: Says) -> Callable[[int, Call], Awaitable[Message]]:
    async def respond(number: int, call: Call) -> Message:
        return message_of(call, says(call))

    return respond


async def run(
    team: str | Block,
    says: Says = lambda call: f"{call.agent.name} says 7",
    limits: ScriptLimits = QUICK,
) -> ScriptResult:
    return await played(Session(team, "How many?", limits), responding(says))


def problem(result: ScriptResult) -> tuple[str, int | None]:
    assert result.problem is not None
    assert result.message is None
    return result.problem.code, result.problem.line


VOTE = """\
from workflow import agent, ensemble, deliver

solvers = [agent(f"S{n}", "Solve it.") for n in range(3)]
deliver(ensemble(solvers))
"""


async def test_a_script_is_played_in_the_sandbox() -> None:
    result = await run(VOTE, saying({"S0": "so 1", "S1": "it is 2", "S2": "is 2"}))
    assert result.ending == "delivered"
    assert result.problem is None
    assert result.message == Message("S1", "it is 2", "2", number=2)
    assert result.calls == 3
    assert 0 < result.seconds < 3


async def test_critiques_that_are_voted_on_are_words() -> None:
    """The worker that stays leaves what it read last: the critic's message."""
    script = """\
from workflow import *
stays = conditional(lambda said: False, agent("A", "p"))
checked = reflection(stays, agent("C", "Check."), rounds=1)
deliver(ensemble([checked, checked])(agent("B", "p")()))
"""
    result = await run(script, saying({"B": "it is 7", "C": "no.\\nVerdict: incorrect"}))
    assert result.ending == "delivered", result.problem


async def test_calls_that_can_run_side_by_side_come_together_with_their_lines() -> None:
    async with Session(VOTE, "How many?", QUICK) as session:
        came = [calls async for calls in first(session)]
    assert [list(calls) for calls in came] == [[1, 2, 3]]
    call = came[0][2]
    assert (call.agent.name, call.agent.line, call.agent.place) == ("S1", 3, 1)
    assert call.lines == (4, 4)


async def first(session: Session) -> AsyncIterator[dict[int, Call]]:
    """One batch."""
    async for calls in session.calls():
        yield calls
        return


REPAIR = """\
from workflow import agent, deliver, question

solver = agent("Solver", "Solve it.", tools=["python"], temperature=0.5, turns=2)
checker = agent("Checker", "Check it.")
draft = solver()
print("draft:", draft.answer, question)
if "sure" in draft.text:
    deliver(draft)
said = checker(draft, "be strict")
deliver(f"{said} and {said.answer}")
"""


async def test_a_script_may_branch_on_what_was_said() -> None:
    sure = await run(REPAIR, saying({"Solver": "sure 1"}))
    assert sure.message == Message("Solver", "sure 1", "1", number=1)
    assert sure.printed == "draft: 1 How many?\n"
    calls: list[Call] = []

    def says(call: Call) -> str:
        calls.append(call)
        return f"{call.agent.name} {len(calls)}"

    result = await run(REPAIR, says)
    assert result.message == Message("", "Checker 2 and 2")
    assert calls[0].agent.tools == ("python",)
    assert (calls[0].agent.temperature, calls[0].agent.turns) == (0.5, 2)
    assert [m.text for m in calls[1].reads] == ["Solver 1", "be strict"]
    assert calls[1].reads[0].number == 1


@pytest.mark.parametrize("way", ["data", "script"])
async def test_a_team_means_the_same_as_data_and_as_a_script(way: str) -> None:
    script = """\
from workflow import *
team = sequence(ensemble([reflection(agent("W", "w"), agent("C", "c"), rounds=1),
                          agent("A", "a")], by="consensus", rounds=1), agent("Z", "z"))
deliver(team)
"""
    pair = reflection(one("W"), one("C"), rounds=1)
    team = sequence(ensemble([pair, one("A")], by="consensus", rounds=1), one("Z"))
    seen: list[tuple[str, list[str], str]] = []

    def says(call: Call) -> str:
        seen.append((call.agent.name, [m.text for m in call.reads], call.asks))
        return f"Verdict: incorrect\n{call.agent.name} {len(seen) % 3}"

    result = await run(team if way == "data" else script, says)
    assert " ".join(name for name, _, _ in seen) == "W A C W W A C W Z"
    assert result.message is not None
    assert result.message.text.endswith("Z 0")
    assert len(seen[-1][1]) == 1


async def test_equal_answers_are_asked_of_the_studio() -> None:
    asked: list[list[str]] = []

    def same(answers: Sequence[str]) -> list[list[int]]:
        asked.append(list(answers))
        return [list(range(len(answers)))]

    says = saying({"S0": "x 1", "S1": "x 2", "S2": "x 2"})
    result = await played(Session(VOTE, "q", QUICK, same=same), responding(says))
    assert asked == [["1", "2", "2"]]
    assert result.message is not None
    assert result.message.answer == "1"


async def test_replies_may_come_in_any_order() -> None:
    async def respond(number: int, call: Call) -> Message:
        await asyncio.sleep(0.05 * (3 - number))
        return Message(call.agent.name, f"said {number}", str(number))

    result = await played(Session(VOTE, "q", QUICK), respond)
    assert result.message is not None
    assert result.message.answer == "1"


async def test_only_the_scripts_own_time_counts() -> None:
    async def respond(number: int, call: Call) -> Message:
        await asyncio.sleep(0.6)
        return Message(call.agent.name, "7", "7")

    result = await played(Session(VOTE, "q", ScriptLimits(seconds=0.5)), respond)
    assert result.ending == "delivered"
    assert result.seconds < 0.5


HEAD = "from workflow import *\na = agent('A', 'Solve.')\n"


@pytest.mark.parametrize(
    ("script", "code", "line", "ending"),
    [
        ("", "nothing_delivered", None, "failed"),
        (HEAD + "a()\n", "nothing_delivered", None, "failed"),
        (HEAD + "deliver(\n", "script_crashed", 3, "failed"),
        (HEAD + "x = 1\nx / 0\n", "script_crashed", 4, "failed"),
        (HEAD + "def f(n):\n    return f(n + 1)\nf(0)\n", "script_crashed", 4, "failed"),
        (HEAD + "ensemble([])\n", "bad_block", 3, "failed"),
        (HEAD + "ensemble([a] * 10_000)\n", "bad_block", 3, "failed"),
        (HEAD + "agent('B', 'x' * 1_000_000)\n", "bad_block", 3, "failed"),
        (HEAD + "deliver(42)\n", "bad_block", 3, "failed"),
        (HEAD + "deliver(None)\n", "bad_block", 3, "failed"),
        (HEAD + "a(3)\n", "bad_block", 3, "failed"),
        (HEAD + "while True:\n    a()\n", "too_many_calls", 4, "limit"),
        (HEAD + "deliver(a('x' * 1_000_000))\n", "message_too_long", None, "limit"),
        (HEAD + "x = 'x' * 10 ** 9\n", "too_much_memory", 3, "limit"),
    ],
)
async def test_a_script_that_fails_says_why(
    script: str, code: str, line: int | None, ending: str
) -> None:
    result = await run(script)
    assert problem(result) == (code, line)
    assert result.problem is not None
    assert result.problem.remedy
    assert result.ending == ending


async def test_a_script_without_end_is_stopped() -> None:
    began = time.monotonic()
    result = await run("while True:\n    pass\n", limits=ScriptLimits(seconds=0.5))
    assert problem(result) in [("script_too_slow", line) for line in (1, 2)]
    assert result.ending == "limit"
    assert "0.5 s of its own time" in (result.problem.message if result.problem else "")
    assert time.monotonic() - began < 10


async def test_the_line_that_does_not_end_is_named_after_replies_too() -> None:
    result = await run(
        f"{HEAD}first = a()\nwhile first.text: pass", limits=ScriptLimits(seconds=1.0)
    )
    assert problem(result) == ("script_too_slow", 4)
    # What waits in C can't be interrupted: it is ended from outside, and no line is known.
    result = await run("sum(range(10**10))\n", limits=ScriptLimits(seconds=0.5))
    assert problem(result) == ("script_too_slow", None)


async def test_a_team_whose_agents_all_failed_delivers_nothing() -> None:
    for team in (VOTE, ensemble(several("A B"))):
        result = await run(team, lambda call: None)
        assert problem(result)[0] == "agents_failed"
        assert result.ending == "failed"


async def test_a_tool_that_is_not_there_is_no_agents() -> None:
    session = Session(REPAIR, "q", QUICK, tools=["calculator"])
    result = await played(session, responding(saying({"Solver": "1"})))
    assert problem(result) == ("unknown_tool", 3)
    assert result.problem is not None
    assert "'python'" in result.problem.message


async def test_data_asks_no_more_often_than_allowed() -> None:
    result = await run(ensemble(several("A B C")), limits=ScriptLimits(calls=2))
    assert problem(result)[0] == "too_many_calls"


async def test_agents_read_all_of_a_message_of_which_the_script_sees_a_part() -> None:
    script = HEAD + "said = a()\nprint(len(said.text))\ndeliver(a(said))\n"
    read: list[int] = []

    def says(call: Call) -> Message:
        read.extend(len(message.text) for message in call.reads)
        return Message("A", "x" * 1_000_000)

    result = await run(script, says)
    assert (result.printed, read) == ("20000\n", [1_000_000])
    assert result.message is not None
    assert len(result.message.text) == 1_000_000


async def test_what_it_prints_is_cut() -> None:
    result = await run(HEAD + "for n in range(100_000):\n    print('é\\ud800' * 100)\ndeliver(a)\n")
    assert result.ending == "delivered"
    assert result.printed.startswith("é")
    assert len(result.printed) == 1_000


async def test_nothing_is_left_running() -> None:
    async def never(number: int, call: Call) -> Message:
        await asyncio.sleep(60)
        raise AssertionError

    await run(VOTE)
    assert await none_left()
    for seconds in (0.0, 0.004, 0.01, 0.02, 0.5):
        playing = asyncio.create_task(played(Session(VOTE, "q", QUICK), never))
        await asyncio.sleep(seconds)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(playing, 10)
        assert await none_left()


async def test_an_error_of_the_one_who_asks_is_not_hidden() -> None:
    async def broken(number: int, call: Call) -> Message:
        raise ZeroDivisionError

    with pytest.raises(ExceptionGroup):
        await played(Session(VOTE, "q", QUICK), broken)
    assert await none_left()


async def test_warm_sandboxes_wait_for_scripts_and_are_ended() -> None:
    async with warm_scripts(2, QUICK):
        for _ in range(3):
            assert (await run(VOTE)).ending == "delivered"
        other = await run(VOTE, limits=ScriptLimits(seconds=4.0))
        assert other.ending == "delivered"
        assert running()
    assert await none_left()


async def test_a_number_that_does_not_wait_is_refused() -> None:
    async with Session(ensemble(several("A B")), "q") as session:
        async for _ in session.calls():
            session.answer(1, Message("A", "1", "1"))
            for number in (0, 1, 3):
                with pytest.raises(KeyError):
                    session.answer(number, Message("A", "1", "1"))
            break
        with pytest.raises(ValueError, match="not ended"):
            _ = session.result


async def test_a_late_reply_is_not_taken() -> None:
    async with Session(VOTE, "q", ScriptLimits(calls=2)) as session:
        assert [calls async for calls in session.calls()] == []
        session.answer(1, Message("A", "1"))
        assert session.result.ending == "limit"


async def test_a_meaning_is_played_as_data_where_it_can_be() -> None:
    meaning = meaning_of(VOTE)
    assert meaning.team is not None
    says = saying({"S0": "so 1", "S1": "it is 2", "S2": "is 2"})
    result = await played(Session(meaning, "q", QUICK), responding(says))
    assert result.message == Message("S1", "it is 2", "2", number=2)
    assert not running()


async def test_a_meaning_with_a_test_of_the_script_is_played_in_the_sandbox() -> None:
    meaning = meaning_of(REPAIR)
    assert (meaning.team, meaning.problems) == (None, ())
    blocks: list[str] = []

    async def respond(number: int, call: Call) -> Message:
        assert running()
        blocks.append(meaning.block_id(call.agent, call.lines))
        return Message(call.agent.name, "hm")

    result = await played(Session(meaning, "q", QUICK), respond)
    assert result.ending == "delivered"
    assert meaning.drawing is not None
    assert blocks == [block.id for block in meaning.drawing.blocks if block.kind == "agent"]


async def test_a_meaning_with_problems_is_not_played() -> None:
    with pytest.raises(ScriptError):
        Session(meaning_of("import os"), "q")


async def test_without_a_sandbox_a_script_does_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.core.scripts.session.sandbox_status", lambda: (False, "no bwrap."))
    result = await run(VOTE)
    assert problem(result)[0] == "sandbox_missing"
    assert result.problem is not None
    assert "no bwrap." in result.problem.message
    assert (await run(ensemble(several("A B")))).ending == "delivered"


async def test_many_scripts_side_by_side() -> None:
    async def one(number: int) -> str:
        script = f"{HEAD}said = a()\ndeliver(said.text + '{number}')\n"
        result = await run(script, lambda call: "it is ", ScriptLimits(seconds=20.0))
        return result.message.text if result.message else ""

    assert await asyncio.gather(*map(one, range(24))) == [f"it is {n}" for n in range(24)]
    assert await none_left()


async def test_scripts_are_played_by_an_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_command, "_is_root", lambda: False)
    monkeypatch.setattr(sandbox, "_status", None)
    result = await run(VOTE)
    assert result.ending == "delivered"
    hanging = await run("while True:\n    pass\n", limits=ScriptLimits(seconds=0.5))
    assert problem(hanging)[0] == "script_too_slow"
    assert await none_left()
    monkeypatch.setattr(sandbox, "_status", None)


def random_team(chance: random.Random, depth: int = 3) -> str:
    """A block as a script writes it. All its tests are blocks."""

    def some(most: int = 3) -> str:
        return ", ".join(random_team(chance, depth - 1) for _ in range(chance.randint(1, most)))

    def part() -> str:
        return random_team(chance, depth - 1)

    if depth == 0 or chance.random() < 0.25:
        return f"agent('A{chance.randrange(10**6)}', 'p')"
    ways = (
        lambda: f"ensemble([{some()}], by='{chance.choice(('majority', 'consensus'))}', rounds=1)",
        lambda: f"ensemble([{some()}], by='judge', judge={part()})",
        lambda: f"reflection({part()}, {part()}, rounds=1)",
        lambda: f"debate([{some()}], rounds=1)",
        lambda: f"router({part()}, {{'x': {part()}, 'y': {part()}}}, {part()})",
        lambda: f"sequence({some()})",
        lambda: f"conditional({part()}, {part()}, {part()})",
        lambda: f"loop({part()}, until={part()}, most=2)",
        lambda: f"graph({{'a': {part()}, 'b': {part()}, 'c': {part()}}}, [('a', 'c'), ('b', 'c')])",
    )
    return chance.choice(ways)()


@pytest.mark.parametrize("seed", range(16))
async def test_any_team_means_the_same_here_and_in_the_sandbox(seed: int) -> None:
    head = f"from workflow import {', '.join(NAMES)}\n"
    script = f"{head}deliver({random_team(random.Random(seed))})\n"
    meaning = meaning_of(script)
    assert (meaning.problems, meaning.team is None) == ((), False)
    limits = ScriptLimits(seconds=10.0, calls=400)
    seen = []
    for team in (meaning, script):
        calls: list[tuple[int, str, tuple[Message, ...], str, int]] = []

        async def respond(
            number: int,
            call: Call,
            calls: list[tuple[int, str, tuple[Message, ...], str, int]] = calls,
        ) -> Message:
            reads = tuple(replace(message, answer=None) for message in call.reads)
            calls.append((number, call.agent.name, reads, call.asks, call.agent.place))
            chance = random.Random(f"{call.agent.name} {len(call.reads)} {call.asks}")
            usable = chance.random() < 0.85
            word = chance.choice(("correct", "incorrect"))
            text = f"Route: {chance.choice('xyz')}\nVerdict: {word}\n{call.agent.name}"
            return Message(call.agent.name, text, chance.choice(("1", "2", None)), usable)

        result = await played(Session(team, "q", limits), respond)
        code = result.problem.code if result.problem else None
        seen.append((sorted(calls), result.message, result.calls, result.ending, code))
    assert seen[0] == seen[1]
    assert seen[0][2] > 0


async def test_all_that_waits_comes_once_every_answer_was_taken() -> None:
    script = f"{HEAD}said = [a(), a(), a()]\ndeliver(debate([a, a], rounds=1))\n"
    for team, sizes in ((script, [1, 1, 1, 2, 2]), (ensemble(several("A B C")), [3])):
        found = []
        async with Session(team, "q", QUICK) as session:
            while calls := await session.settled():
                assert await session.settled() == calls
                found.append(len(calls))
                for number in sorted(calls, reverse=True):
                    session.answer(number, Message("A", "7", "7"))
        assert found == sizes
        assert session.result.ending == "delivered"


ASKING = """\
from workflow import *
a, b, c = (agent(name, "p") for name in "ABC")
"""
SURE = "until=lambda m: 'yes' in c(m).text"


@pytest.mark.parametrize(
    ("team", "asked"),
    [
        (f"loop(a, {SURE})", "A C A C A"),
        ("conditional(lambda m: 'yes' in c(m).text, a, b)", "C B"),
        (f"ensemble([loop(a, {SURE}), loop(b, {SURE})])", "A B C A C B C A C B"),
        ("ensemble([a, conditional(lambda m: 'yes' in c().text, a, b)])", "A C B"),
        ("loop(a, until=lambda m: loop(b, until=lambda n: c(n).text)(m).text)", "A B C"),
    ],
)
async def test_a_test_may_ask_a_block(team: str, asked: str) -> None:
    script = f"{ASKING}deliver({team})\n"
    assert meaning_of(script).problems == ()
    calls: list[Call] = []

    def says(call: Call) -> str:
        calls.append(call)
        return f"{call.agent.name} {len(calls)}"

    result = await run(script, says)
    assert result.ending == "delivered", result.problem
    assert " ".join(call.agent.name for call in calls) == asked
    for call in calls[1:]:
        if call.agent.name == "C" and call.reads:
            [read] = call.reads
            assert calls[read.number - 1].agent.name in "AB"
            assert read.text == f"{calls[read.number - 1].agent.name} {read.number}"


async def test_what_a_test_asks_has_one_place_however_fast_others_are() -> None:
    script = f"{ASKING}deliver(ensemble([loop(a, {SURE}), loop(b, {SURE})]))\n"
    places = []
    for slow in "ABC":

        async def respond(number: int, call: Call, slow: str = slow) -> Message:
            await asyncio.sleep(0.05 * (call.agent.name == slow))
            return Message(call.agent.name, call.agent.name, "7")

        session = Session(script, "q", QUICK)
        seen: list[tuple[tuple[int, ...], str]] = []

        async def noted(
            number: int,
            call: Call,
            seen: list[tuple[tuple[int, ...], str]] = seen,
            respond: Callable[[int, Call], Awaitable[Message]] = respond,
        ) -> Message:
            seen.append((call.place, call.agent.name))
            return await respond(number, call)

        assert (await played(session, noted)).ending == "delivered"
        places.append(sorted(seen))
    assert places[0] == places[1] == places[2]
    assert len(dict(places[0])) == 10


async def test_a_script_that_dies_while_it_waits_has_ended() -> None:
    script = f"""{HEAD}
import os, threading
threading.Timer(0.3, os._exit, [0]).start()
a()
"""
    async with Session(script, "q", QUICK) as session:
        assert list(await session.settled()) == [1]
        assert [calls async for calls in session.calls()][1:] == []
        assert await session.settled() == {}
        assert problem(session.result)[0] == "script_died"


SETS = """\
from workflow import agent, deliver

asked = [agent(name, "Solve it.")() for name in ("A", "B", "C", "D", "E")]
texts = [word for word in set("a set of several words".split())]
blocks = [each.name for each in [one() for one in {agent(n, "p") for n in "stuvw"}]]
deliver(" ".join([*texts, *[each.name for each in set(asked)], *blocks]))
"""


async def test_a_set_has_one_order() -> None:
    """So a run can be repeated: `max(set(answers), key=…)` picks the same of equals."""
    first, second = await run(SETS), await run(SETS)
    assert first.message is not None
    assert second.message is not None
    assert first.message.text == second.message.text

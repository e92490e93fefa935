"""What the designer reads: the language, examples that run, the tools that there are."""

import re

import pytest

from workers.core.events.scripts import ScriptProblem
from workers.core.fit import fit_tokens
from workers.core.methods.metaagent_x.config import TOOLS, MetaAgentXConfig
from workers.core.methods.metaagent_x.designing import read_script
from workers.core.methods.metaagent_x.prompts import (
    QUOTED_CHARS,
    SINGLE,
    SMALL_CHECKED,
    USES,
    VOTE,
    designer_messages,
    repair_messages,
)
from workers.core.scripts.blocks import NAMES
from workers.core.specs import AnswerForm
from workers.core.tools.registry import TOOLS as REGISTRY

QUERY = "How many loaves are left?"


def full(*tools: str, answer_form: AnswerForm = "text", room: int = 4_000) -> tuple[str, str]:
    system, user = designer_messages(
        QUERY, tools=tools, max_calls=32, answer_form=answer_form, room_tokens=room
    )
    return system.content, user.content


def small(query: str = QUERY, room: int = 1_000) -> str:
    system, user = designer_messages(
        query, tools=TOOLS, max_calls=32, room_tokens=room, small_model=True
    )
    assert system.content == ""
    return user.content


def test_the_language_is_told_with_every_block() -> None:
    system, user = full(*TOOLS)
    assert user == f"Question:\n{QUERY}"
    assert all(re.search(rf"\b{name}\b", system) for name in NAMES)
    assert "At most 32 calls" in system


@pytest.mark.parametrize("tools", [(), ("calculator",), TOOLS])
def test_its_examples_are_three_teams_that_can_be_used(tools: tuple[str, ...]) -> None:
    examples = re.findall(r"```python\n(.*?)```", full(*tools)[0], re.DOTALL)
    read = [read_script(f"```python\n{example}```", tools) for example in examples]
    assert [meaning.problems for meaning in read] == [()] * 3
    assert len({meaning.shape for meaning in read}) == 3
    named = [
        tool
        for meaning in read
        if meaning.drawing
        for b in meaning.drawing.blocks
        for tool in b.tools
    ]
    assert named == [each for each in ("python", "calculator") if each in tools][:1]


def test_only_tools_that_there_are_are_told() -> None:
    assert set(USES) == set(TOOLS) <= set(REGISTRY)
    system, _ = full("calculator")
    assert "- calculator: exact arithmetic" in system
    assert "browser" not in system
    assert "There are no tools." in full()[0]


def test_of_a_code_task_the_designer_knows_that_agents_write_programs() -> None:
    assert "The answer is a program." in full(answer_form="code")[0]
    assert "program" not in full()[0]


def test_a_small_model_is_shown_scripts_alone() -> None:
    asked = small()
    assert QUERY in asked
    assert fit_tokens(asked) < 420
    for example in (SINGLE, VOTE, SMALL_CHECKED):
        assert example in asked
        assert not read_script(example, ()).problems


def test_a_long_question_is_cut_to_the_room() -> None:
    assert fit_tokens(small("word " * 20_000, room=1_000)) <= 1_010
    messages = designer_messages("word " * 20_000, tools=(), max_calls=8, room_tokens=2_000)
    assert sum(fit_tokens(message.content) for message in messages) <= 2_010


def test_where_the_language_does_not_fit_the_short_form_is_sent() -> None:
    system, user = full(*TOOLS, room=600)
    assert (system, user) == ("", small(room=600))


def test_a_repair_shows_the_reply_and_each_problem_with_line_and_remedy() -> None:
    problem = ScriptProblem(code="x", message="There is no tool.", remedy="Use none.", line=3)
    asked = designer_messages(QUERY, tools=(), max_calls=8, room_tokens=4_000)
    *before, reply, told = repair_messages(asked, "y" * 10_000, (problem, problem))
    assert tuple(before) == asked
    assert (reply.role, len(reply.content)) == ("assistant", QUOTED_CHARS)
    assert told.content.count("- Line 3: There is no tool. Use none.") == 2


def test_settings_name_tools_that_agents_may_have() -> None:
    assert MetaAgentXConfig(tools=" python ,calculator,, python").tool_keys == (
        "python",
        "calculator",
    )
    assert MetaAgentXConfig(tools="").tool_keys == ()
    emptied = MetaAgentXConfig.model_validate({"tools": None, "script": None})
    assert (emptied.tools, emptied.script) == ("", "")
    with pytest.raises(ValueError, match="there is no tool “vote” here"):
        MetaAgentXConfig(tools="python, vote")
    with pytest.raises(ValueError, match="script"):
        MetaAgentXConfig(script="x" * 20_001)

"""Where ours differs from the paper, or it is silent. Numbers are those of the package's docstring.

The compact form (1), and what the updater decides (7), are in test_state.py; the rows of E (2),
heads and the untrained adapter (3) in test_adapter.py; runs that take the likeliest, or draw (4),
Early-exit (5), verdicts (8), Ensembles (9), layers of a large pool (10), the answer of one subtask
(11), no state (17) and time (18) in test_solving.py; forms of verdicts (8) in test_replies.py;
process reward (12), progress (13) and returns that are left out (14) in training/tests/.
"""

from typing import Any

import pytest

from workers.core.events import LayerSampled, StageAssessed, ToolCalled
from workers.core.mas.tests.support import ScriptedClient, endpoint
from workers.core.methods.evomas.agents import (
    ANSWER_ROLE,
    EVALUATOR_ROLE,
    FOUR,
    fixed_layers,
)
from workers.core.methods.evomas.config import EvoMasConfig, SolvingConfig
from workers.core.methods.evomas.method import EvoMas
from workers.core.methods.evomas.tests.support import of, plays, solved, who
from workers.core.methods.evomas.training.config import PAPER, EvoMasTrainingConfig
from workers.core.pools import load_builtin_pool
from workers.core.specs import PoolSpec, RoleSpec
from workers.core.tools.registry import TOOLS

POOL = load_builtin_pool("evomas")
SMALL = 135_000_000
CALL = '```tool\n{"tool": "%s", "arguments": {"expression": "6*7"}}\n```'


async def asked(config: dict[str, Any], **said: Any) -> list[str]:
    client = ScriptedClient(plays(**said))
    await solved(plays(), client=client, config=config)
    return [who(request) for request in client.requests]


def test_the_preset_paper_is_the_paper_s_where_ours_differs() -> None:
    """3, 5, 6, 12, 13."""
    paper = EvoMasTrainingConfig.model_validate(PAPER)
    assert (paper.heads, paper.exit_ends, paper.planner) == (1, "task", "always")
    assert (paper.process_reward, paper.baseline) == (0, "none")
    ours = EvoMasTrainingConfig()
    assert (ours.heads, ours.exit_ends, ours.planner) == (8, "workflow", "trouble")
    assert (ours.stages, ours.temperature, ours.mass, ours.learning_rate) == (6, 0.1, 0.6, 6e-3)


async def test_without_a_trained_adapter_a_layer_has_two_of_seven_agents() -> None:
    """4."""
    layer = of(await solved(plays()), LayerSampled)[0]
    assert (layer.mass, len([each for each in layer.candidates if each.rank])) == (0.3, 2)


@pytest.mark.parametrize(("planner", "times"), [("trouble", 1), ("always", 3)])
async def test_after_a_success_the_planner_is_asked_only_where_it_always_is(
    planner: str, times: int
) -> None:
    """6."""
    assert (await asked({"workflow": "io", "planner": planner})).count("planner") == times


@pytest.mark.parametrize("small", [True, False])
async def test_the_evaluator_looks_up_and_computes_except_for_a_small_model(small: bool) -> None:
    """8, 16."""
    assert EVALUATOR_ROLE.tools == ("web_search", "read_page", "python", "calculator")
    model = endpoint(native_tools=True, parameters=SMALL if small else None)
    client = ScriptedClient(plays())
    await solved(plays(), client=client, config={"workflow": "io"}, endpoint=model, tools=TOOLS)
    request = next(each for each in client.requests if who(each) == "evaluator")
    offered = {tool["function"]["name"] for tool in request.tools}
    assert offered == (set() if small else set(EVALUATOR_ROLE.tools))


async def test_a_small_model_plans_once_and_its_evaluator_is_asked_once() -> None:
    """16."""
    client = ScriptedClient(plays(evaluator="I can't say."))
    small = endpoint(parameters=SMALL)
    config = {"workflow": "io", "stages": 2}
    events = await solved(plays(), client=client, config=config, endpoint=small)
    assert [each.origin for each in of(events, StageAssessed)] == ["fallback"] * 2
    parts = [who(request) for request in client.requests]
    # The second verdict is asked about the same message: it is taken from the first.
    assert parts == ["planner", "io", "evaluator", "io", "final"]
    assert not any("[TODO]" in m.content for each in client.requests for m in each.messages)
    assert EvoMas.small_reply_tokens == 512


async def test_a_pool_of_the_request_replaces_the_agents_with_its_exit_and_ensemble() -> None:
    """10."""
    poet = RoleSpec(key="poet", name="Poet", family="test", description="x", prompt="You rhyme.")
    exit_ = next(role for role in POOL.roles if role.key == "early_exit")
    pool = PoolSpec(key="p", name="P", roles=(poet, exit_))
    client = ScriptedClient(lambda request: "Answer: 1")
    config = {"state": False, "mass": 1.0}
    events = await solved(plays(), client=client, config=config, pool=pool)
    assert {each.role for each in of(events, LayerSampled)[0].candidates} == {"poet", "early_exit"}
    assert {request.messages[0].content for request in client.requests} == {"You rhyme."}


async def test_the_final_agent_may_compute() -> None:
    """11."""
    calls = iter([CALL % "calculator", "Answer: 42"])
    config = {"workflow": "io"}
    events = await solved(plays(final=lambda _: next(calls)), config=config, tools=TOOLS)
    assert [(each.agent_id, each.tool) for each in of(events, ToolCalled)] == [
        ("answer", "calculator")
    ]


async def test_equal_workflows_ask_the_same_at_temperature_0() -> None:
    """15: an answer that is kept counts for both."""
    client = ScriptedClient(plays())
    for _ in range(2):
        await solved(plays(), client=client, config={"workflow": "multi_generate"})
    half = len(client.requests) // 2
    assert client.requests[:half] == client.requests[half:]
    assert {request.temperature for request in client.requests} == {0}


def test_no_agent_of_the_pools_runs_code() -> None:
    """19."""
    tools = {role.key: role.tools for role in POOL.roles}
    assert {key: bound for key, bound in tools.items() if bound} == {
        "web_search": ("web_search", "read_page", "read_file"),
        "web_browser": ("browser", "web_search", "read_page"),
    }
    assert set(FOUR) == {"io", "early_exit", "web_search", "ensemble"}
    assert len(POOL.roles) == 7


@pytest.mark.parametrize("agents", ["7", "4"])
def test_one_agent_has_the_tools_of_the_team_together(agents: str) -> None:
    """20: no more, so that the comparison is fair, and no less."""
    team = set(EvoMas().tools({"agents": agents}, None))
    assert ("browser" in team) == (agents == "7")
    assert set(ANSWER_ROLE.tools) <= team
    config = EvoMasConfig.model_validate({"agents": agents, "workflow": "single_agent"})
    pool = POOL
    if agents == "4":
        roles = tuple(role for role in POOL.roles if role.key in FOUR)
        pool = POOL.model_copy(update={"roles": roles})
    ((alone,),) = fixed_layers(config, pool)
    assert set(alone.tools) == team
    options = {"agents": agents, "workflow": "single_agent", "state": False}
    assert set(EvoMas().tools(options, None)) == team


def test_one_agent_has_no_tool_that_is_a_whole_turn() -> None:
    """20: with it, no model would be asked."""
    counts = POOL.roles[0].model_copy(update={"tools": ("vote", "person", "calculator")})
    config = EvoMasConfig(workflow="single_agent")
    ((alone,),) = fixed_layers(config, PoolSpec(key="p", name="P", roles=(counts,)))
    assert not {"vote", "person"} & set(alone.tools)


@pytest.mark.parametrize(
    ("config", "role", "times"),
    [
        ({}, "web_search", 4),
        ({}, "web_browser", 12),
        ({"tool_rounds": 2}, "web_search", 2),
        ({"browser_rounds": 3}, "web_browser", 3),
        ({"workflow": "single_agent"}, "single_agent", 12),
    ],
)
async def test_how_often_agents_use_tools_is_a_setting(
    config: dict[str, Any], role: str, times: int
) -> None:
    """21."""
    script = plays(**{role: CALL % "web_search"})
    settings = {"workflow": role, "state": False, **config}
    events = await solved(script, config=settings, tools=TOOLS)
    assert len(of(events, ToolCalled)) == times


def test_trainings_play_tasks_with_the_settings_of_runs() -> None:
    """21, and all others that runs have."""
    shared = set(SolvingConfig.model_fields)
    assert {"tool_rounds", "browser_rounds", "stages"} <= shared
    assert shared <= set(EvoMasTrainingConfig.model_fields)

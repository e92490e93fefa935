from typing import Any

import pytest

from workers.core.llm.types import ChatRequest, ChatResult
from workers.core.mas.agent import run_agent
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.pool import MessagePool
from workers.core.mas.rules import STEPS_FORM, answer_rule
from workers.core.mas.small_models import COMPLETION_TOKENS, is_small
from workers.core.mas.tests.support import (
    ScriptedClient,
    collect,
    context,
    endpoint,
    result,
    role,
)
from workers.core.specs import AgentNode, Budget

ROLE = role(
    prompt="You do sums.\n1. Copy the sum.",
    tools=("calculator",),
    output_form="Give a table of all numbers with their units, one row for each.",
    refuse_condition="There is no sum.",
)


@pytest.mark.parametrize(
    ("model", "small"),
    [
        ("smollm2-135m-instruct", True),
        ("HuggingFaceTB/SmolLM2-360M-Instruct", True),
        ("Qwen2.5-Coder-0.5B-Instruct", True),
        ("Qwen2.5-1.5B-Instruct", False),
        ("meta-llama/Llama-3.1-8B", False),
        ("mixtral-8x22b", False),
        ("gpt-4.1-mini", False),
        ("model-7b-distilled-from-500m", False),
        ("stub", False),
        ("", False),
    ],
)
def test_the_size_is_read_from_the_name(model: str, small: bool) -> None:
    assert is_small(model) is small


async def asked(model: str, budget: Budget, **fields: Any) -> ChatRequest:
    """The request of an agent that plays ROLE."""
    client = ScriptedClient()
    outcomes: dict[str, AgentOutcome] = {}
    run = run_agent(
        AgentNode(id="a1", role=ROLE),
        query="2 + 2?",
        inputs=[],
        context=context(client, endpoint=endpoint(model=model, **fields), budget=budget),
        message_pool=MessagePool(),
        outcomes=outcomes,
    )
    await collect(run)
    [request] = client.requests
    return request


async def test_a_small_model_reads_one_short_message() -> None:
    request = await asked("tiny-135m", Budget())
    system, user = request.messages
    assert (system.role, system.content, user.role) == ("system", "", "user")
    assert user.content.startswith("You do sums.\n\nQuestion:\n2 + 2?")
    for left_out in ("Copy the sum", "REFUSE", "```tool", "table"):
        assert left_out not in user.content
    assert request.max_tokens == COMPLETION_TOKENS


@pytest.mark.parametrize(
    ("rule", "told"),
    [({}, True), ({"answer_form": "code"}, False), ({"runs_program": True}, False)],
)
def test_a_small_model_is_told_a_short_form_where_it_writes_no_program(
    rule: dict[str, Any], told: bool
) -> None:
    asks = answer_rule(role(output_form=STEPS_FORM), small_model=True, **rule)
    assert asks.startswith(STEPS_FORM) is told


async def test_another_model_reads_the_whole_role() -> None:
    request = await asked("large-8b", Budget())
    system, user = request.messages
    for told in ("Copy the sum", "REFUSE", "```tool"):
        assert told in system.content
    assert "table" in user.content
    assert request.max_tokens == Budget().max_completion_tokens_per_call


async def test_a_smaller_budget_holds_for_a_small_model() -> None:
    request = await asked("tiny-135m", Budget(max_completion_tokens_per_call=100))
    assert request.max_tokens == 100


async def test_a_small_model_with_native_tools_keeps_them() -> None:
    request = await asked("tiny-135m", Budget(), native_tools=True)
    assert [tool["function"]["name"] for tool in request.tools] == ["calculator"]


@pytest.mark.parametrize("reason", ["length", "stop"])
async def test_only_a_message_that_the_limit_cut_off_loses_its_loop(reason: str) -> None:
    said = "It is so.\n" + "The answer is 2, I am sure.\n" * 20

    def script(_: ChatRequest) -> ChatResult:
        return result(said, finish_reason=reason)

    outcomes: dict[str, AgentOutcome] = {}
    events = run_agent(
        AgentNode(id="a1", role=role()),
        query="q",
        inputs=[],
        context=context(ScriptedClient(script)),
        message_pool=MessagePool(),
        outcomes=outcomes,
    )
    await collect(events)
    expected = "It is so.\nThe answer is 2, I am sure." if reason == "length" else said.strip()
    assert outcomes["a1"].message == expected
    assert outcomes["a1"].answer == "2, I am sure"

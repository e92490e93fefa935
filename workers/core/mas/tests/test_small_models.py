from typing import Any

import pytest

from workers.core.llm.types import ChatRequest
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.rules import STEPS_FORM, answer_rule
from workers.core.mas.small_models import suggested_parameters
from workers.core.mas.tests.support import ScriptedClient, endpoint, result, role, turn
from workers.core.specs import Budget

ROLE = role(
    prompt="You do sums.\n1. Copy the sum.",
    tools=("calculator",),
    output_form="Give a table of all numbers with their units, one row for each.",
    refuse_condition="There is no sum.",
)


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("smollm2-135m-instruct", 135_000_000),
        ("HuggingFaceTB/SmolLM2-360M-Instruct", 360_000_000),
        ("Qwen2.5-Coder-0.5B-Instruct", 500_000_000),
        ("qwen05b.gguf", 500_000_000),
        ("qwen2_5-0_5b", 500_000_000),
        ("llama_3_8b", 8_000_000_000),
        ("Qwen2.5-1.5B-Instruct", 1_500_000_000),
        ("meta-llama/Llama-3.1-8B", 8_000_000_000),
        ("model-7b-distilled-from-500m", 7_000_000_000),
        ("mixtral-8x22b", None),
        ("gpt-4.1-mini", None),
        ("stub", None),
        ("0b", None),
        ("", None),
    ],
)
def test_a_name_suggests_a_size(model: str, parameters: int | None) -> None:
    assert suggested_parameters(model) == parameters


@pytest.mark.parametrize(
    ("parameters", "small"),
    [(134_515_008, True), (999_999_999, True), (1_000_000_000, False), (None, False)],
)
def test_which_model_is_small_its_endpoint_says(parameters: int | None, small: bool) -> None:
    assert endpoint(model="tiny-135m", parameters=parameters).is_small is small
    assert endpoint(model="large-8b", parameters=parameters).is_small is small


SMALL = 134_515_008
LARGE = 8_030_261_248


async def asked(parameters: int | None, budget: Budget, **fields: Any) -> ChatRequest:
    """The request of an agent that plays ROLE."""
    client, place = ScriptedClient(), endpoint(parameters=parameters, **fields)
    await turn(client, ROLE, query="2 + 2?", endpoint=place, budget=budget)
    [request] = client.requests
    return request


async def test_a_small_model_reads_one_short_message() -> None:
    request = await asked(SMALL, Budget())
    system, user = request.messages
    assert (system.role, system.content, user.role) == ("system", "", "user")
    assert user.content.startswith("You do sums.\n\nQuestion:\n2 + 2?")
    for left_out in ("Copy the sum", "REFUSE", "```tool", "table"):
        assert left_out not in user.content
    assert request.max_tokens == Budget().max_completion_tokens_per_call


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
    request = await asked(LARGE, Budget())
    system, user = request.messages
    for told in ("Copy the sum", "REFUSE", "```tool"):
        assert told in system.content
    assert "table" in user.content
    assert request.max_tokens == Budget().max_completion_tokens_per_call


@pytest.mark.parametrize("parameters", [SMALL, LARGE, None])
@pytest.mark.parametrize("tokens", [1, 100, 768, 2_000])
async def test_the_budget_alone_says_how_much_a_model_may_say(
    tokens: int, parameters: int | None
) -> None:
    request = await asked(parameters, Budget(max_completion_tokens_per_call=tokens))
    assert request.max_tokens == tokens


async def test_a_small_model_with_native_tools_keeps_them() -> None:
    request = await asked(SMALL, Budget(), native_tools=True)
    assert [tool["function"]["name"] for tool in request.tools] == ["calculator"]


@pytest.mark.parametrize("reason", ["length", "stop"])
async def test_only_a_message_that_the_limit_cut_off_loses_its_loop(reason: str) -> None:
    said = "It is so.\n" + "The answer is 2, I am sure.\n" * 20
    outcomes: dict[str, AgentOutcome] = {}
    client = ScriptedClient(lambda _: result(said, finish_reason=reason))
    await turn(client, role(), outcomes=outcomes)
    expected = "It is so.\nThe answer is 2, I am sure." if reason == "length" else said.strip()
    assert outcomes["a1"].message == expected
    assert outcomes["a1"].answer == "2, I am sure"

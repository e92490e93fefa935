"""How the baselines that reason are worded: for a small model otherwise than for another one."""

from typing import Any

import pytest

from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import QUERY, only, ran
from workers.core.methods.wordings import SMALL_CHECK, SMALL_DIRECT, SMALL_STEPS, STEPS
from workers.core.testing.stub_process import RunningStub

SMALL, LARGE = 494_000_000, 7_600_000_000
BOXED = SMALL_STEPS["text"]
REASONING = ["chain_of_thought", "self_consistency", "self_refine", "debate"]


async def asked(stub: RunningStub, key: str, **changes: Any) -> list[str]:
    """All that each request says, and the prompts of the agents that the plan names."""
    stub.clear()
    events = await ran(METHODS[key], stub.url, **changes)
    planned = only(events, "graph_planned")[-1].graph
    prompts = [node.role.prompt for node in planned.nodes]
    said = [
        "\n".join(message["content"] for message in request["messages"]).strip()
        for request in stub.log()["requests"]
    ]
    assert all(any(prompt in text for text in said) for prompt in prompts), "the plan tells them"
    return said


@pytest.mark.parametrize("key", REASONING)
async def test_a_small_model_is_told_of_a_box_alone(key: str, stub: RunningStub) -> None:
    said = await asked(stub, key, parameters=SMALL)
    first = [text for text in said if "<message" not in text]
    assert first
    assert set(first) == {f"{BOXED}\n\nQuestion:\n{QUERY}"}


@pytest.mark.parametrize("key", REASONING)
@pytest.mark.parametrize("parameters", [LARGE, None])
async def test_another_model_is_told_what_the_role_says(
    key: str, parameters: int | None, stub: RunningStub
) -> None:
    said = await asked(stub, key, parameters=parameters)
    assert not any("boxed" in text for text in said)
    assert said[0].startswith(STEPS)
    assert said[0].endswith("Answer: …")


async def test_later_rounds_of_a_debate_read_and_are_told_so(stub: RunningStub) -> None:
    said = await asked(stub, "debate", parameters=SMALL)
    later = [text for text in said if "<message" in text]
    assert len(later) == 3
    assert all(text.startswith(SMALL_CHECK["text"]) for text in later)
    assert all(text.endswith(f"Question:\n{QUERY}") for text in later)
    large = [text for text in await asked(stub, "debate", parameters=LARGE) if "<message" in text]
    assert all("Compare your last message" in text for text in large)
    assert all(text.endswith("Answer: …") for text in large)


@pytest.mark.parametrize("key", REASONING)
async def test_a_small_model_ends_a_code_task_with_its_program(key: str, stub: RunningStub) -> None:
    said = await asked(stub, key, parameters=SMALL, answer_form="code")
    assert said[0] == f"{SMALL_STEPS['code']}\n\nQuestion:\n{QUERY}"
    if key == "debate":
        assert said[-1].startswith(SMALL_CHECK["code"])


@pytest.mark.parametrize("key", ["self_consistency", "debate"])
async def test_whoever_writes_programs_is_told_of_no_box(key: str, stub: RunningStub) -> None:
    said = await asked(stub, key, parameters=SMALL, config={"program": True})
    assert not any("boxed" in text for text in said)
    assert all("Python program" in text for text in said)


async def test_direct_asks_for_the_answer_alone(stub: RunningStub) -> None:
    [small] = await asked(stub, "direct", parameters=SMALL)
    assert small == f"{SMALL_DIRECT['text']}\n\nQuestion:\n{QUERY}"
    [large] = await asked(stub, "direct", parameters=LARGE)
    assert large.endswith("Answer: …")
    [code] = await asked(stub, "direct", parameters=SMALL, answer_form="code")
    assert code.endswith("```python block.")

"""Where ours differs from the paper or its code, or they are silent. Numbers are those of the
package's docstring.

Scripts (1, 2, 4) are also in core/scripts/tests; runs (3, 5 to 9) in test_solving.py and
test_bad_input.py; prompts (10) in test_prompts.py; credit (11, 13, 14) in
core/rl/tests/test_hierarchical.py and training/tests/test_rollouts.py; shares (16) there and in
test_schedule.py; what is shown and asked (17, 18) in training/tests/test_language.py.
"""

import asyncio
import random
import zlib
from pathlib import Path

import pytest
import torch

from workers.core.errors import MethodError
from workers.core.events import BlockCalled, IntermediateAnswer
from workers.core.llm.types import ChatRequest, ChatResult, OnDelta
from workers.core.mas.tests.support import ScriptedClient
from workers.core.methods.metaagent_x.tests.support import of, plays, prompts, solved
from workers.core.methods.metaagent_x.tests.test_solving import UNTIL, VOTE, given
from workers.core.methods.metaagent_x.training.config import PRESETS, MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.tests import test_rollouts as rolling
from workers.core.methods.metaagent_x.training.tests.toy import (
    BROKEN,
    NAME,
    SINGLE,
    TASKS,
    make_letters,
)
from workers.core.methods.metaagent_x.training.tests.toy import VOTE as THREE
from workers.core.rollouts.base import LossOptions, Sampling, Weighted
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec
from workers.core.specs import EndpointSpec

COOL = SINGLE.replace('"Answer."', '"Answer.", temperature=0.3')


async def test_a_team_that_no_reply_changes_needs_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """2: it is played where there is no sandbox; a script that reads a reply is not."""
    monkeypatch.setattr("workers.core.scripts.session.sandbox_status", lambda: (False, "no bwrap."))
    events = await solved(plays([""]), config=given(*VOTE))
    assert [event.answer for event in of(events, IntermediateAnswer)] == ["42"]
    with pytest.raises(MethodError, match="no bwrap") as raised:
        await solved(plays([""]), config=given(*UNTIL))
    assert raised.value.code == "sandbox_missing"


async def test_who_routes_is_asked_for_a_route_in_words() -> None:
    """6: of a code task, too. The route itself answers with a program."""
    lines = (
        'by = agent("Switch", "Choose it.")',
        'sums, words = agent("Sums", "Solve it."), agent("Words", "Write it.")',
        'deliver(router(by, {"sums": sums, "words": words}))',
    )
    said = plays([""], choose="Route: words", write="```python\nprint(42)\n```")
    events = await solved(said, config=given(*lines), answer_form="code")
    read = prompts(events)
    assert "Route: " in read["a1"]
    assert "whole program" not in read["a1"]
    assert "whole program" in read["a2"]
    assert [event.answer for event in of(events, IntermediateAnswer)] == ["print(42)"]


TWICE = (
    'one = agent("One", "Go on.", temperature=1)',
    'two = agent("Two", "Go on, too.", temperature=1)',
)
"""Agents that the teams below ask in several places side by side."""


class Delayed(ScriptedClient):
    """Answers after a while, by all that the request holds."""

    def __init__(self, pace: int) -> None:
        super().__init__(lambda r: f"Answer: {zlib.crc32(repr((r.messages, r.seed)).encode())}")
        self._pace = random.Random(pace)

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        await asyncio.sleep(self._pace.random() / 50)
        return await super().chat(endpoint, request, on_delta)


@pytest.mark.parametrize(
    "team",
    [
        "ensemble([sequence(one, two, one), sequence(two, one, two), one])",
        'graph({"a": one, "b": sequence(two, one), "c": one}, [("a", "c"), ("b", "c")])',
        "debate([reflection(one, two), loop(one, two), sequence(one, one)], rounds=1)",
        'ensemble([sequence(one, two)] * 3, by="consensus", rounds=1)',
        # functions: this one runs in the sandbox
        "ensemble([conditional(lambda m: True, sequence(one, two, one)), sequence(two, one)])",
    ],
)
async def test_a_seed_depends_on_the_place_and_on_no_agents_pace(team: str, sandbox: None) -> None:
    """7: two runs with one seed ask the same, whoever is faster."""

    async def asked(pace: int) -> tuple[list[str], set[tuple[int, ...]], list[str | None]]:
        client = Delayed(pace)
        events = await solved(client, config=given(*TWICE, f"deliver({team})"))
        called = of(events, BlockCalled)
        requests = sorted(repr((r.messages, r.seed, r.temperature)) for r in client.requests)
        assert len({call.place for call in called}) == len(called) == len(requests)
        answers = [event.answer for event in of(events, IntermediateAnswer)]
        return requests, {call.place for call in called}, answers

    first = await asked(0)
    for pace in range(1, 6):
        assert await asked(pace) == first


async def test_each_call_has_another_seed() -> None:
    """7: also of one agent that reads the same."""
    client = ScriptedClient()
    await solved(client, config=given(*TWICE, "deliver(ensemble([one, one, two, one]))"))
    assert len({request.seed for request in client.requests}) == 4


async def test_a_design_that_cannot_be_used_is_not_corrected_while_training() -> None:
    """11: the designer is asked once."""
    _, engine = await rolling.rolled([BROKEN, BROKEN], ["a"])
    assert engine.asked == [("designer", 2, 1.0)]


async def test_while_training_everyone_samples_the_policy_itself() -> None:
    """12: a script's temperature counts in runs and for held-out tasks alone."""
    _, engine = await rolling.rolled([COOL, COOL], ["a"])
    assert {temperature for _, _, temperature in engine.asked} == {1.0}
    held_out = rolling.Written([COOL], ["a"])
    await rolling.with_a_part_of(held_out).played(rolling.A, seed=1)
    assert held_out.asked[-1] == ("executor", 1, 0.3)


@pytest.mark.parametrize("preset", [{}, *(PRESETS[name] for name in PRESETS if name != "paper")])
def test_a_right_answer_alone_is_worth_something(preset: dict[str, object]) -> None:
    """14: by default, and in all presets but the paper's."""
    config = MetaAgentXTrainingConfig.model_validate(preset)
    assert (config.delivery, config.format) == (0, 0)


async def test_the_cost_of_calls_leaves_no_design_below_zero() -> None:
    """14."""
    question, _ = await rolling.rolled([SINGLE, THREE], ["b", "b", *"aaa", *"bbb"], call_cost=0.4)
    assert [design.reward for design in question.designs] == [0, 0]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InProcessEngine:
    make_letters(tmp_path / NAME)
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    return InProcessEngine({"shared": PolicySpec(NAME)}, seed=0)


def test_each_roles_loss_is_a_mean_over_its_own_replies(engine: InProcessEngine) -> None:
    """15: how many replies the executor has does not change what the designer's weigh."""

    def sampled(text: str, seed: int) -> list[Weighted]:
        prompt = engine.prompt("shared", ({"role": "user", "content": text},))
        [group] = engine.sample("shared", [prompt], 2, Sampling(3, seed))
        return [Weighted(each, sign) for each, sign in zip(group, (1.0, -0.5), strict=True)]

    def gradient(*batches: list[Weighted]) -> torch.Tensor:
        for batch in batches:
            engine.forward_backward("shared", batch, LossOptions())
        optimiser = engine.learning("shared").optimiser
        parts = [
            each.grad.flatten() for each in optimiser.learned.values() if each.grad is not None
        ]
        found = torch.cat(parts).clone()
        optimiser.forget()
        return found

    designer, executor = sampled(f"design{TASKS[0].query}", 1), sampled(TASKS[1].query, 2)
    apart = gradient(designer) + gradient(executor)
    assert torch.allclose(gradient(designer, executor), apart, atol=1e-6)
    assert torch.allclose(gradient(designer, executor * 3), apart, atol=1e-6)
    assert not torch.allclose(gradient([*designer, *executor]), apart, atol=1e-4)

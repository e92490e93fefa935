"""Where ours differs from the paper or its code, or they are silent. Numbers are those of the
package's docstring.

Scripts (1, 2, 4) are also in core/scripts/tests; runs (3, 5 to 9) in test_solving.py and
test_bad_input.py; prompts (10) in test_prompts.py; credit (11, 13, 14) in
core/rl/tests/test_hierarchical.py and training/tests/test_rollouts.py; shares (16) there and in
test_schedule.py; what is shown and asked (17, 18) in training/tests/test_language.py.
"""

from pathlib import Path

import pytest
import torch

from workers.core.errors import MethodError
from workers.core.events import IntermediateAnswer
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


async def test_a_seed_depends_on_the_agents_place_and_on_how_often_it_was_asked() -> None:
    """7: and not on who spoke before."""
    agents = (
        'first = agent("A", "First, solve it.", temperature=1)',
        'second = agent("B", "Second, solve it.", temperature=1)',
    )

    async def seeds(*order: str) -> dict[str, list[int | None]]:
        client = ScriptedClient()
        await solved(client, config=given(*agents, f"deliver(sequence({', '.join(order)}))"))
        found: dict[str, list[int | None]] = {}
        for request in client.requests:
            name = request.messages[0].content.split(",")[0]
            found.setdefault(name, []).append(request.seed)
        return found

    once = await seeds("first", "second")
    assert await seeds("second", "first") == once
    twice = await seeds("first", "second", "first")
    assert {name: told[0] for name, told in twice.items()} == {
        name: told[0] for name, told in once.items()
    }
    assert len({seed for told in twice.values() for seed in told}) == 3


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

"""Where the paper and its code can be read otherwise: what ours does. Numbers are the page's."""

from typing import Any

import numpy as np
import pytest

from workers.core.agents.database import AgentDatabase, AgentKey
from workers.core.agents.scoring import Scoring, exploration_scale, rarity
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.reso.choosing import best_rewarded
from workers.core.methods.reso.rewards import Reward, Solved, record
from workers.core.methods.reso.training.config import PRESETS, ReSoTrainingConfig
from workers.core.methods.tests.support import small_pool
from workers.core.specs import RoleSpec, SubtaskSpec


@pytest.mark.parametrize(("preset", "k"), [("paper", 3), ("published", 1), ("studio", 2)])
def test_only_the_published_code_has_nothing_to_choose_among(preset: str, k: int) -> None:
    """14."""
    assert ReSoTrainingConfig.model_validate(PRESETS[preset]).k == k


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_with_one_candidate_the_fine_search_is_vacuous(value: float) -> None:
    """14: whatever it is worth, it is chosen; with two, the worth decides."""
    assert best_rewarded([Reward(value)]) == 0
    assert best_rewarded([Reward(value), Reward(value + 0.1)]) == 1


async def test_n_counts_judged_selections(embedder: MiniLMEmbedder) -> None:
    """13: who was selected and not judged is explored as before: n(a) and N stay as they are, and
    by hand with c = 0.3, N = 4 and n = 4 the exploration is 0.3·√4/√4.001 ."""
    scoring = Scoring(threshold=-1.0)
    database = await AgentDatabase.of(small_pool(), ["one"], embedder=embedder, scoring=scoring)
    query = (await embedder.embed(["How much do the loaves cost?"]))[0]
    for _ in range(3):
        database.search(query, 2)
    assert database.search(query, 1).selections == 0
    for _ in range(4):
        database.record(0, reward=1.0, cost=0.0)
    assert database.search(query, 5).selections == 4
    first = AgentKey(small_pool().roles[0].key, "one")
    counts = {key: each.count for key, each in database.statistics().items()}
    assert counts == {key: 4 * (key == first) for key in counts}
    candidate = next(c for c in database.search(query, 5).candidates if c.place == 0)
    assert candidate.exploration == pytest.approx(0.3 * (4 / 4.001) ** 0.5)
    told = exploration_scale(4, scoring) * rarity(np.array([4]))
    assert candidate.exploration == pytest.approx(float(told[0]))


def test_the_static_profile_that_is_embedded_has_neither_prompt_nor_tools() -> None:
    """17."""
    described: dict[str, Any] = {"name": "Adder", "description": "Adds.", "capabilities": ("sums",)}
    one = RoleSpec(key="one", family="test", prompt="Add.", **described)
    other = RoleSpec(
        key="other", family="test", prompt="Guess.", tools=("calculator",), **described
    )
    assert one.profile() == other.profile() == "Adder. Adds. Capabilities: sums."


def test_a_judge_is_told_answers_before_and_not_how_they_were_found() -> None:
    """18."""
    before = [Solved(SubtaskSpec(id="s1", text="2 + 2?"), "4")]
    told = record(
        small_pool().roles[0],
        SubtaskSpec(id="s2", text="Twice the answer of s1?", depends_on=("s1",)),
        AgentOutcome("s2-1", "Adder", message="It is 8.", answer="8"),
        before,
    )
    assert '"answers_before": [{"subtask": "2 + 2?", "answer": "4"}]' in told

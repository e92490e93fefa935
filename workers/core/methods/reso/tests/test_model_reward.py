"""The neural reward model in this process: published forms, tuned, broken and missing ones."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from workers.core.errors import MethodError
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.tests.support import role
from workers.core.methods.reso import model_reward
from workers.core.methods.reso.model_reward import ModelReward
from workers.core.methods.reso.rewards import Reward
from workers.core.methods.reso.tuning.config import RewardForm
from workers.core.methods.reso.tuning.scorer import Scorer
from workers.core.specs import SubtaskSpec
from workers.core.weights.tests.tiny import edited_weights, save_process, save_tiny

SUBTASK = SubtaskSpec(id="s1", text="What do 14 loaves at 3 dollars bring?")
RIGHT = AgentOutcome("a", "Adder", message="14 · 3 = 42", answer="42")


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "models"
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(folder))
    save_tiny(folder / "tiny")
    return folder


async def judged(model: ModelReward, outcome: AgentOutcome = RIGHT) -> Reward:
    return await model.judge(role("adder"), SUBTASK, outcome, [])


@pytest.mark.parametrize("model", ["one-label", "two-labels", "token", "prm", "writer"])
async def test_published_forms_give_a_reward(models: Path, model: str) -> None:
    save_tiny(models / "one-label", "sequence")
    save_tiny(models / "two-labels", "sequence", labels=2)
    save_tiny(models / "token", "token", labels=2)
    save_process(models / "prm")
    save_tiny(models / "writer", tag=True)
    forms: list[RewardForm] = ["step_tag", "chat_turns"] if model == "writer" else ["auto"]
    rewards = [await judged(ModelReward(model, form=form)) for form in forms]
    assert all(0 < (reward.value or 0) < 1 for reward in rewards)
    assert len({reward.value for reward in rewards}) == len(forms)
    assert rewards[0] == await judged(ModelReward(model, form=forms[0]))


async def test_of_what_is_too_long_the_end_counts(models: Path) -> None:
    save_tiny(models / "published", "sequence")
    scorer = Scorer.published("published", max_tokens=64)
    end = "and so the answer is 42, as was asked for at the very beginning. " * 10
    first, second = scorer.rewards(["loaves " * 300 + end, "cakes " * 300 + end])
    assert first == pytest.approx(second, abs=1e-6)


async def test_no_number_is_no_reward(models: Path) -> None:
    save_tiny(models / "sequence", "sequence", nan=True)
    save_process(models / "process")
    with edited_weights(models / "process") as weights:
        weights["score.2.weight"].fill_(float("nan"))
    for broken in ("sequence", "process"):
        reward = await judged(ModelReward(broken))
        assert reward.value is None
        assert "outside 0 to 1" in reward.problem


@pytest.mark.parametrize(("model", "is_judged"), [("prm", False), ("sequence", True)])
async def test_of_a_long_answer_who_judges_steps_is_told_all_or_nothing(
    models: Path, model: str, is_judged: bool
) -> None:
    """Of one that a head of its own judges the middle is left out."""
    save_process(models / "prm")
    save_tiny(models / "sequence", "sequence")
    message = "\n\n".join(f"I add {number} to what I have." for number in range(400))
    long = replace(RIGHT, message=f"{message}\n\nAnswer: {RIGHT.answer}")
    reward = await judged(ModelReward(model), long)
    assert (reward.value is not None) == is_judged
    assert ("longer" in reward.problem) != is_judged


async def test_who_gave_no_answer_is_not_asked_about(models: Path) -> None:
    reward = await judged(ModelReward("absent"), AgentOutcome("a", "Adder", refused=True))
    assert reward.value == 0


async def test_a_head_without_weights_is_never_made_up(models: Path) -> None:
    save_tiny(models / "published", "sequence")
    with edited_weights(models / "published") as weights:
        del weights["score.weight"]
    with pytest.raises(MethodError, match="some of its weights are missing: score") as caught:
        await judged(ModelReward("published"))
    assert caught.value.code == "model_unreadable"


async def test_a_missing_model_is_told_to_all_who_wait_and_again(models: Path) -> None:
    reward = ModelReward("absent")
    for _ in range(2):
        told = await asyncio.gather(judged(reward), judged(reward), return_exceptions=True)
        assert all(isinstance(each, MethodError) and each.code == "model_missing" for each in told)


async def test_answers_that_come_meanwhile_are_judged_together(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_reward, "BATCH", 4)
    save_tiny(models / "published", "sequence")
    reward = ModelReward("published")
    await judged(reward)
    sizes: list[int] = []
    rewards = Scorer.rewards

    def counting(self: Scorer, records: list[str]) -> list[float | None]:
        sizes.append(len(records))
        return rewards(self, records)

    monkeypatch.setattr(Scorer, "rewards", counting)
    cancelled = asyncio.create_task(judged(reward))
    several = [asyncio.create_task(judged(reward)) for _ in range(5)]
    await asyncio.sleep(0)
    cancelled.cancel()
    assert len({each.value for each in await asyncio.gather(*several)}) == 1
    assert sizes == [4, 2]

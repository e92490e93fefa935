"""The neural reward model in this process: published forms, tuned, broken and missing ones."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from subprocess import run

import pytest
from safetensors.torch import load_file, save_file

from workers.core.errors import MethodError
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.tests.support import role
from workers.core.methods.reso import model_reward
from workers.core.methods.reso.model_reward import ModelReward
from workers.core.methods.reso.rewards import Reward
from workers.core.methods.reso.tuning.scorer import Scorer
from workers.core.methods.reso.tuning.tests.support import tuned
from workers.core.methods.reso.tuning.tests.tiny import save_process, save_tiny
from workers.core.specs import SubtaskSpec

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


@pytest.mark.parametrize(("kind", "labels"), [("sequence", 1), ("sequence", 2), ("token", 2)])
async def test_published_forms_give_a_reward(models: Path, kind: str, labels: int) -> None:
    save_tiny(models / "published", kind, labels=labels)
    reward = await judged(ModelReward("published"))
    assert reward.value is not None
    assert 0 < reward.value < 1
    assert reward == await judged(ModelReward("published"))


async def test_a_padded_answer_is_worth_what_it_is_alone(models: Path) -> None:
    for kind in ("sequence", "token"):
        save_tiny(models / kind, kind, labels=2)
        scorer = Scorer.published(kind, max_tokens=512)
        short, long = "4 · 3", "14 · 3 = 42, since each of the loaves brings three dollars."
        alone = [scorer.rewards([text])[0] for text in (short, long)]
        assert scorer.rewards([short, long]) == pytest.approx(alone, abs=1e-5)


async def test_of_what_is_too_long_the_end_counts(models: Path) -> None:
    save_tiny(models / "published", "sequence")
    scorer = Scorer.published("published", max_tokens=64)
    end = "and so the answer is 42, as was asked for at the very beginning. " * 10
    first, second = scorer.rewards(["loaves " * 300 + end, "cakes " * 300 + end])
    assert first == pytest.approx(second, abs=1e-6)


async def test_no_number_is_no_reward(models: Path) -> None:
    save_tiny(models / "broken", "sequence", nan=True)
    reward = await judged(ModelReward("broken"))
    assert reward.value is None
    assert "not from 0 to 1" in reward.problem


async def test_a_process_reward_model_judges_an_answer_step_by_step(models: Path) -> None:
    save_process(models / "prm")
    reward = ModelReward("prm")
    value = (await judged(reward)).value
    assert value is not None
    assert 0 < value < 1
    longer = AgentOutcome("a", "Adder", message="14 · 3 = 41\n\nNo, 14 · 3 = 42", answer="42")
    assert (await judged(reward, longer)).value != value


async def test_a_language_model_judges_in_the_form_that_is_told(models: Path) -> None:
    save_tiny(models / "writer", tag=True)
    tag = await judged(ModelReward("writer", form="step_tag"))
    turn = await judged(ModelReward("writer", form="chat_turns"))
    assert tag.value is not None
    assert turn.value is not None
    assert tag.value != turn.value


async def test_an_answer_that_is_too_long_for_it_is_not_judged(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_reward, "MAX_TOKENS", 64)
    save_process(models / "prm")
    reward = await judged(ModelReward("prm"))
    assert reward.value is None
    assert "longer" in reward.problem


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


async def test_no_number_of_a_process_reward_model_is_no_reward(models: Path) -> None:
    save_process(models / "prm")
    weights = load_file(models / "prm" / "model.safetensors")
    weights["score.2.weight"].fill_(float("nan"))
    save_file(weights, models / "prm" / "model.safetensors", metadata={"format": "pt"})
    reward = await judged(ModelReward("prm"))
    assert reward.value is None
    assert "not from 0 to 1" in reward.problem


async def test_who_gave_no_answer_is_not_asked_about(models: Path) -> None:
    reward = await judged(ModelReward("absent"), AgentOutcome("a", "Adder", refused=True))
    assert reward.value == 0


async def test_a_model_without_a_head_for_it_is_refused(models: Path) -> None:
    with pytest.raises(MethodError, match="no head") as caught:
        await judged(ModelReward("tiny"))
    assert caught.value.code == "no_reward_head"


async def test_a_head_without_weights_is_never_made_up(models: Path) -> None:
    save_tiny(models / "published", "sequence")
    weights = load_file(models / "published" / "model.safetensors")
    del weights["score.weight"]
    save_file(weights, models / "published" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(MethodError, match="lacks weights of its own: score") as caught:
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


async def test_a_tuned_one_knows_right_from_wrong(models: Path, tmp_path: Path) -> None:
    await tuned("reward_model", tmp_path / "job", epochs=8)
    checkpoint = max((tmp_path / "job" / "checkpoints").iterdir())
    reward = ModelReward(checkpoint=checkpoint)
    # As in its examples: what is odd was answered with 99.
    wrong = AgentOutcome("a", "Adder", message="I add.\nAnswer: 99", answer="99")
    right = AgentOutcome("a", "Adder", message="I add.\nAnswer: 3", answer="3")
    worth = [(await judged(reward, outcome)).value or 0.0 for outcome in (wrong, right)]
    assert worth[0] < worth[1]


def test_it_is_light_to_import() -> None:
    heavy = "import sys, workers.core.methods.reso.model_reward as m; print('torch' in sys.modules)"
    done = run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

"""What a checkpoint holds, as the folders that PEFT and servers read."""

from pathlib import Path

import pytest
import torch
from peft import PeftModel

from workers.core.checkpoints import save
from workers.core.errors import MethodError
from workers.core.rollouts.base import LossOptions, Weighted, demonstration
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.kept import (
    Kept,
    kept_in,
    named,
    tensors_in,
    weights_for,
    write_models,
)
from workers.core.rollouts.policies import PolicySpec
from workers.core.testing.checkpoints import edit, trained_info
from workers.core.weights.fingerprint import fingerprint
from workers.core.weights.models import find_model, load_model
from workers.core.weights.nano import NanoConfig, make_nano

pytestmark = pytest.mark.usefixtures("nano")
AGENTS = ("proposer", "planner")
KEPT = Kept(environment="plan_path", model="nano", rank=4, alpha=16, agents=AGENTS)


def kept(folder: Path, what: Kept, tensors: dict[str, dict[str, torch.Tensor]]) -> Path:
    save(folder, named(tensors), trained_info("at_grpo", config=what.model_dump(mode="json")))
    return folder


def test_each_agents_adapter_is_an_ordinary_one_beside_the_model(tmp_path: Path) -> None:
    spec = PolicySpec("nano", rank=KEPT.rank, alpha=KEPT.alpha)
    engine = InProcessEngine(dict.fromkeys(AGENTS, spec), seed=3)
    shown = demonstration((1, 4, 6), (7, 8, 2))
    for agent, advantage in zip(AGENTS, (1.0, -1.0), strict=True):
        engine.forward_backward(agent, [Weighted(shown, advantage)], LossOptions())
        engine.optim_step(agent, 1e-2)
    made = kept(tmp_path / "made", KEPT, {agent: engine.tensors(agent) for agent in AGENTS})
    write_models(made, tmp_path / "adapters")
    ids = torch.tensor([[*shown.prompt, *shown.tokens]])
    for agent in AGENTS:
        base = load_model(find_model("nano"), "language")
        model = PeftModel.from_pretrained(base, tmp_path / "adapters" / agent).eval()
        with torch.no_grad():
            told = torch.log_softmax(model(input_ids=ids).logits[0], dim=-1)
        places = range(len(shown.prompt) - 1, ids.shape[1] - 1)
        found = [float(told[at, ids[0, at + 1]]) for at in places]
        assert found == pytest.approx(engine.logprobs(agent, [shown])[0], abs=1e-5)


def test_one_adapter_for_all_agents_is_the_folder_itself(tmp_path: Path) -> None:
    shared = KEPT.model_copy(update={"agents": ("shared", "shared")})
    engine = InProcessEngine({"shared": PolicySpec("nano", rank=4)}, seed=3)
    made = kept(tmp_path / "made", shared, {"shared": engine.tensors("shared")})
    write_models(made, tmp_path / "adapter")
    assert {file.name for file in (tmp_path / "adapter").iterdir()} == {
        "adapter_config.json",
        "adapter_model.safetensors",
    }


def test_all_weights_are_a_model_that_adapters_can_be_trained_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_nano(tmp_path / "nano", NanoConfig(layers=1, width=16, heads=2, rows=4), seed=0)
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    whole = KEPT.model_copy(update={"rank": 0, "agents": ("shared", "shared")})
    engine = InProcessEngine({"shared": PolicySpec("nano")}, seed=3)
    shown = demonstration((1, 4, 6), (7, 8, 2))
    made = kept(tmp_path / "made", whole, {"shared": engine.tensors("shared")})
    write_models(made, tmp_path / "cold")
    adapters = InProcessEngine(dict.fromkeys(AGENTS, PolicySpec("cold", rank=4)), seed=0)
    assert adapters.logprobs("planner", [shown]) == engine.logprobs("shared", [shown])
    assert adapters.text("planner", shown.tokens) == engine.text("shared", shown.tokens)


def test_the_models_of_two_agents_have_a_folder_each(tmp_path: Path) -> None:
    whole = KEPT.model_copy(update={"rank": 0})
    engine = InProcessEngine(dict.fromkeys(AGENTS, PolicySpec("nano")), seed=3)
    made = kept(tmp_path / "made", whole, {agent: engine.tensors(agent) for agent in AGENTS})
    write_models(made, tmp_path / "models")
    for agent in AGENTS:
        assert (tmp_path / "models" / agent / "model.safetensors").exists()


def test_an_agent_with_a_path_for_a_name_is_refused(tmp_path: Path) -> None:
    made = kept(tmp_path / "made", KEPT, {agent: {"w": torch.ones(1)} for agent in AGENTS})
    edit(made, config=KEPT.model_dump(mode="json") | {"agents": ["../proposer"]})
    with pytest.raises(MethodError, match="no trained language models"):
        kept_in(made)


@pytest.mark.parametrize("rank", [0, 4])
def test_a_checkpoint_knows_the_model_it_was_trained_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rank: int
) -> None:
    base = fingerprint("nano", weights=rank > 0)
    what = KEPT.model_copy(update={"rank": rank, "base": base})
    learned = {agent: {"w": torch.ones(1)} for agent in AGENTS}
    made = kept(tmp_path / "made", what, learned)
    assert tensors_in(made, "planner").keys() == {"w"}
    renamed = what.model_copy(update={"model": "taught"})
    assert weights_for(made, "planner", renamed).keys() == {"w"}, "the same model"

    other = NanoConfig(layers=2, width=32, heads=4, rows=4)
    make_nano(tmp_path / "models" / "nano", other, seed=0)
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path / "models"))
    now = what.model_copy(update={"base": fingerprint("nano", weights=rank > 0)})
    with pytest.raises(MethodError, match=r"“made” was trained on another.*heads was 2 and is 4"):
        tensors_in(made, "planner")
    with pytest.raises(MethodError, match="num_attention_heads was 2 and is 4"):
        weights_for(made, "planner", now)
    before = kept(tmp_path / "before", what.model_copy(update={"base": None}), learned)
    assert tensors_in(before, "planner").keys() == weights_for(before, "planner", now).keys()


def test_an_adapter_is_written_unless_another_model_has_its_models_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = fingerprint("taught", weights=True)
    what = KEPT.model_copy(update={"model": "taught", "base": base})
    spec = PolicySpec("nano", rank=KEPT.rank)
    engine = InProcessEngine(dict.fromkeys(AGENTS, spec), seed=3)
    made = kept(tmp_path / "made", what, {agent: engine.tensors(agent) for agent in AGENTS})
    models = tmp_path / "models"
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(models))
    write_models(made, tmp_path / "elsewhere")
    make_nano(models / "taught", NanoConfig(layers=2, width=32, heads=2, rows=4), seed=0)
    with pytest.raises(MethodError, match="its weights differ"):
        write_models(made, tmp_path / "here")
    assert (tmp_path / "elsewhere" / "planner").is_dir()
    assert not (tmp_path / "here").exists()

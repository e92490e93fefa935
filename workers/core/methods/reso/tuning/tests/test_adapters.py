"""An adapter in a checkpoint, and as the folder that PEFT and servers read."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from workers.core.checkpoints import load
from workers.core.errors import MethodError
from workers.core.methods.reso.method import ReSo
from workers.core.methods.reso.tuning.config import ADAPTERS
from workers.core.methods.reso.tuning.scorer import Scorer
from workers.core.methods.reso.tuning.tests.support import tuned
from workers.core.weights.adapters import load_adapter
from workers.core.weights.models import find_model, load_model

TEXTS = ["Is it 42?", '{"subtask": "How many in all?", "answer": "7"}']


async def test_a_tuned_planner_is_an_ordinary_adapter_beside_its_model(
    tmp_path: Path, models: Path
) -> None:
    await tuned("planner", tmp_path, epochs=1)
    ReSo().write_adapter(tmp_path / "checkpoints" / "step-000003", tmp_path / "adapter")
    told = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert (told["r"], told["lora_alpha"], told["task_type"]) == (8, 32, "CAUSAL_LM")
    assert {"q_proj", "down_proj"} <= set(told["target_modules"])
    base = load_model(find_model("tiny"), "language")
    words = AutoTokenizer.from_pretrained(models / "tiny")(TEXTS[0], return_tensors="pt")
    before = base(**words).logits
    served = PeftModel.from_pretrained(base, tmp_path / "adapter").eval()
    after = served(**words).logits
    assert not torch.allclose(before, after, atol=1e-3)
    learned = load(tmp_path / "checkpoints" / "step-000003", method="reso")[1]
    state = served.state_dict()
    for name, tensor in learned.items():
        assert torch.equal(state[name.replace(".weight", ".default.weight")], tensor), name


async def test_a_tuned_reward_model_scores_as_peft_does_with_its_adapter(
    tmp_path: Path, models: Path
) -> None:
    await tuned("reward_model", tmp_path, epochs=1)
    checkpoint = max((tmp_path / "checkpoints").iterdir())
    scorer = Scorer.tuned(checkpoint)
    scored = scorer.rewards(TEXTS)
    assert all(reward is not None and 0 < reward < 1 for reward in scored)
    ReSo().write_adapter(checkpoint, tmp_path / "adapter")
    base = AutoModelForSequenceClassification.from_pretrained(models / "tiny", num_labels=1)
    base.config.pad_token_id = scorer.tokenizer.pad_token_id
    served = PeftModel.from_pretrained(base, tmp_path / "adapter").eval()
    with torch.no_grad():
        logits = served(**scorer.tokenizer(TEXTS, return_tensors="pt", padding=True)).logits
    assert scored == pytest.approx(torch.sigmoid(logits[:, 0]).tolist(), abs=1e-5)


async def test_no_adapter_is_put_onto_another_model_of_the_same_name(
    tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tuned("reward_model", tmp_path / "job", epochs=1)
    checkpoint = max((tmp_path / "job" / "checkpoints").iterdir())
    shutil.copytree(models / "tiny", tmp_path / "models" / "tiny")
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path / "models"))
    Scorer.tuned(checkpoint)
    settings = tmp_path / "models" / "tiny" / "config.json"
    told = json.loads(settings.read_text())
    settings.write_text(json.dumps(told | {"rms_norm_eps": 0.1}))
    for use in (
        lambda: Scorer.tuned(checkpoint),
        lambda: ReSo().write_adapter(checkpoint, tmp_path / "adapter"),
    ):
        with pytest.raises(MethodError, match=r"rms_norm_eps was 1e-06 and is 0\.1"):
            use()
    with pytest.raises(MethodError, match="The training in this folder was trained on another"):
        await tuned("reward_model", tmp_path / "job", epochs=1)
    assert not (tmp_path / "adapter").exists()


async def test_what_is_no_such_adapter_is_refused(tmp_path: Path, models: Path) -> None:
    await tuned("planner", tmp_path, epochs=1)
    with pytest.raises(MethodError) as caught:
        load_adapter(tmp_path / "checkpoints" / "step-000003", ADAPTERS["reward_model"])
    assert caught.value.code == "checkpoint_wrong_kind"
    with pytest.raises(MethodError) as caught:
        load_adapter(tmp_path / "absent", ADAPTERS["planner"])
    assert caught.value.code == "checkpoint_missing"

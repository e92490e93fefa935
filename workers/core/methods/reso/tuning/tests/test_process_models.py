"""Process reward models of the hub's kinds: what they say is what is computed here by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file, save_file
from torch.nn.functional import softmax
from transformers import AutoModelForCausalLM, AutoTokenizer, Qwen2Config, Qwen2Model

from workers.core.errors import MethodError
from workers.core.events import TrainingMetric
from workers.core.llm.types import ChatRequest
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.tests.support import role
from workers.core.methods.reso.method import ReSo
from workers.core.methods.reso.rewards import record
from workers.core.methods.reso.tuning.config import RewardForm
from workers.core.methods.reso.tuning.scorer import Scorer
from workers.core.methods.reso.tuning.tests.support import context_in, half_right, tuned
from workers.core.specs import SubtaskSpec
from workers.core.weights.files import INDEX, WEIGHTS
from workers.core.weights.models import find_model, load_model
from workers.core.weights.tests.tiny import edited_weights, save_process, save_tiny

SYSTEM = "Please reason step by step, and put your final answer within \\boxed{}."
ASKED = "How many in all?"
STEPS = ("14 loaves bring 42.", "5 cakes bring 60.", "In all that is 102.")


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "own"
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(folder))
    save_process(folder / "prm")
    save_tiny(folder / "writer", tag=True)
    return folder


def published(name: str, **options: Any) -> Scorer:
    return Scorer.published(name, **{"max_tokens": 1_536, **options})


def refused(name: str, **options: Any) -> MethodError:
    with pytest.raises(MethodError) as caught:
        published(name, **options)
    return caught.value


def told(*steps: str) -> str:
    subtask = SubtaskSpec(id="s1", text=ASKED)
    message = "\n\n".join(steps)
    return record(role("adder"), subtask, AgentOutcome("a", "A", message=message, answer="102"), [])


def by_hand(folder: Path, steps: tuple[str, ...]) -> list[float]:
    """Of each step, as the card of Qwen2.5-Math-PRM computes it; no class of ours takes part."""
    weights = load_file(folder / "model.safetensors")
    kept = json.loads((folder / "config.json").read_text())
    body = Qwen2Model(Qwen2Config(**{name: kept[name] for name in kept if name != "auto_map"}))
    body.load_state_dict(
        {name[len("model.") :]: each for name, each in weights.items() if name.startswith("model.")}
    )
    words = AutoTokenizer.from_pretrained(folder)
    text = f"<|system|>{SYSTEM}<|end|><|user|>{ASKED}<|end|><|assistant|>"
    text += "".join(f"{step}<extra_0>" for step in steps) + "<|end|>"
    ids = words(text, add_special_tokens=False, return_tensors="pt").input_ids
    with torch.no_grad():
        hidden = body.eval()(ids).last_hidden_state[0]  # (T, H)
        first = torch.relu(hidden @ weights["score.0.weight"].T + weights["score.0.bias"])
        logits = first @ weights["score.2.weight"].T + weights["score.2.bias"]
    ends = ids[0] == words.convert_tokens_to_ids("<extra_0>")
    return [float(value) for value in softmax(logits[ends], dim=-1)[:, 1]]


def test_a_process_reward_model_says_what_its_published_code_computes(own: Path) -> None:
    scorer = published("prm")
    wanted = by_hand(own / "prm", STEPS)
    assert len(wanted) == 3
    assert len(set(wanted)) == 3
    for said in (1, 2, 3):
        # The last step says the answer, or one more does.
        steps = STEPS[:said] if said == 3 else (*STEPS[:said], "The answer is: 102")
        rewards = scorer.rewards([told(*steps)])
        assert rewards == pytest.approx([by_hand(own / "prm", steps)[-1]], abs=1e-6)
    assert not (own / "prm" / "ran").exists()


def test_answers_judged_together_are_worth_what_they_are_alone(own: Path) -> None:
    for kind in ("sequence", "token"):
        save_tiny(own / kind, kind, labels=2)
    records = [told(STEPS[-1]), told(*STEPS), told(*STEPS, *STEPS)]
    forms: list[tuple[str, RewardForm]] = [
        ("sequence", "auto"),
        ("token", "auto"),
        ("prm", "auto"),
        ("writer", "step_tag"),
        ("writer", "chat_turns"),
    ]
    for name, form in forms:
        scorer = published(name, form=form)
        alone = [scorer.rewards([each])[0] for each in records]
        assert scorer.rewards(records) == pytest.approx(alone, abs=1e-5)
        assert len(set(alone)) == 3


def written(own: Path, text: str) -> float:
    """p(+) against p(−) for the token after the text, of all logits."""
    words = AutoTokenizer.from_pretrained(own / "writer")
    model = AutoModelForCausalLM.from_pretrained(own / "writer").eval()
    with torch.no_grad():
        logits = model(**words(text, return_tensors="pt")).logits[0, -1]
    labels = words.convert_tokens_to_ids(["+", "-"])
    return float(softmax(logits[labels], dim=-1)[0])


def test_a_language_model_says_it_at_a_tag_or_in_a_turn(own: Path) -> None:
    one, two, three = STEPS
    text = f"{ASKED} Step 1: {one} ки\nStep 2: {two} ки\nStep 3: {three} ки"
    scorer = published("writer", form="step_tag")
    assert scorer.rewards([told(*STEPS)]) == pytest.approx([written(own, text)], abs=1e-6)
    turn = "<|end|><|assistant|>+<|end|><|user|>"
    text = f"<|user|>{ASKED} {one}{turn}{two}{turn}{three}<|end|><|assistant|>"
    scorer = published("writer", form="chat_turns")
    assert scorer.rewards([told(*STEPS)]) == pytest.approx([written(own, text)], abs=1e-6)


def test_the_forms_of_known_models_need_no_telling(own: Path) -> None:
    name = "peiyi9979/math-shepherd-mistral-7b-prm"
    save_tiny(own / name, tag=True)
    known = published(name).rewards([told(*STEPS)])
    scorer = published("writer", form="step_tag")
    assert known == scorer.rewards([told(*STEPS)])


def test_of_other_language_models_the_form_must_be_told() -> None:
    error = refused("writer")
    assert error.code == "no_reward_head"
    assert "reward_form" in error.remedy


def test_a_model_with_a_head_has_no_other_form() -> None:
    error = refused("prm", form="step_tag")
    assert error.code == "reward_form_of_a_head"
    assert "auto" in error.remedy


def test_what_is_too_long_has_no_reward_and_hurts_no_other() -> None:
    scorer = published("prm", max_tokens=200)
    short, long = told(STEPS[-1]), told("On and on. " * 200, STEPS[-1])
    assert scorer.rewards([long, short, long]) == [None, scorer.rewards([short])[0], None]
    assert scorer.rewards([long]) == [None]


def test_weights_may_lie_in_shards(own: Path) -> None:
    whole = published("prm").rewards([told(*STEPS)])
    weights = load_file(own / "prm" / WEIGHTS)
    (own / "prm" / WEIGHTS).unlink()
    shards = {
        "model-00001-of-00002.safetensors": {n: w for n, w in weights.items() if "score" not in n},
        "model-00002-of-00002.safetensors": {n: w for n, w in weights.items() if "score" in n},
    }
    for file, tensors in shards.items():
        save_file(tensors, own / "prm" / file, metadata={"format": "pt"})
    index = {name: file for file, tensors in shards.items() for name in tensors}
    (own / "prm" / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": index}))
    assert published("prm").rewards([told(*STEPS)]) == whole


def without_a_bias(weights: dict[str, torch.Tensor]) -> None:
    del weights["score.2.bias"]


def with_a_third_label(weights: dict[str, torch.Tensor]) -> None:
    weights["score.2.weight"] = torch.zeros(3, 64)
    weights["score.2.bias"] = torch.zeros(3)


def with_another_head(weights: dict[str, torch.Tensor]) -> None:
    for name in [name for name in weights if name.startswith("score")]:
        del weights[name]
    weights["v_head.summary.weight"] = torch.zeros(1, 64)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (without_a_bias, "some of its weights are missing: score.2.bias"),
        (
            with_a_third_label,
            "other shapes than its description says: score.2.bias, score.2.weight",
        ),
        (with_another_head, "some of its weights are missing: score.0.bias, score.0.weight"),
    ],
)
def test_a_head_that_is_not_whole_is_never_made_up(
    own: Path, change: Callable[[dict[str, torch.Tensor]], None], why: str
) -> None:
    with edited_weights(own / "prm") as weights:
        change(weights)
    error = refused("prm")
    assert error.code == "model_unreadable"
    assert why in error.message


def test_weights_are_not_read_for_a_tokenizer_without_the_mark(own: Path) -> None:
    save_process(own / "plain", tag=False)
    (own / "plain" / WEIGHTS).write_bytes(b"no weights")
    assert refused("plain").code == "no_step_tag"


def test_the_architecture_s_name_alone_makes_no_other_model_one(own: Path) -> None:
    config = json.loads((own / "prm" / "config.json").read_text())
    (own / "prm" / "config.json").write_text(json.dumps(config | {"model_type": "llama"}))
    assert refused("prm").code == "model_with_code"


async def test_one_is_tuned_further_and_loads_again(own: Path, tmp_path: Path) -> None:
    events = await tuned("reward_model", tmp_path / "job", epochs=8, model="prm")
    losses = [event.values["loss"] for event in events if isinstance(event, TrainingMetric)]
    assert sum(losses[-3:]) < sum(losses[:3])
    checkpoint = max((tmp_path / "job" / "checkpoints").iterdir())
    # As in its examples: what is odd was answered with 99.
    right, wrong = (
        record(
            role("adder"),
            SubtaskSpec(id="s1", text="What is 2 and 1?"),
            AgentOutcome("a", "A", message=f"I add.\nAnswer: {answer}", answer=answer),
            [],
        )
        for answer in ("3", "99")
    )
    rewards = Scorer.tuned(checkpoint).rewards([right, wrong])
    assert (rewards[0] or 0) > (rewards[1] or 1)
    ReSo().write_adapter(checkpoint, tmp_path / "adapter")
    described = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert {"score.0", "score.2", "q_proj"} <= set(described["target_modules"])
    scorer = Scorer.for_tuning("prm", max_tokens=1_536)
    scorer.model = PeftModel.from_pretrained(
        load_model(find_model("prm"), "process"), tmp_path / "adapter"
    ).eval()
    assert scorer.rewards([right, wrong]) == pytest.approx(rewards, abs=1e-6)


@pytest.mark.parametrize("kind", ["sequence", "token"])
def test_a_head_of_two_labels_gives_way_to_a_new_one_that_is_tuned(own: Path, kind: str) -> None:
    save_tiny(own / kind, kind, labels=2)
    scorer = Scorer.for_tuning(kind, max_tokens=64)
    assert (scorer.head, scorer.model.config.num_labels) == ("sequence", 1)


async def test_where_only_right_answers_fit_nothing_is_learned(tmp_path: Path) -> None:
    """Wrong answers are the long ones."""

    def script(request: ChatRequest) -> str:
        said = half_right(request)
        is_right = "99" not in said and "And 2 more" not in request.messages[-1].content
        return said if is_right else "I wonder. " * 800 + said

    context = context_in(tmp_path / "job", script)
    with pytest.raises(MethodError) as caught:
        await tuned("reward_model", tmp_path / "job", epochs=1, model="prm", context=context)
    assert caught.value.code == "one_sided_examples"


async def test_examples_that_are_too_long_for_it_are_left_out(tmp_path: Path) -> None:
    with pytest.raises(MethodError, match="longer than 64 tokens") as caught:
        await tuned("reward_model", tmp_path / "job", epochs=1, model="prm", max_tokens=64)
    assert caught.value.code == "no_examples"

"""Which models are the same one, and which are not."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from workers.core.errors import MethodError
from workers.core.weights.fingerprint import Fingerprint, fingerprint, require_base
from workers.core.weights.models import find_model, load_model, load_tokenizer
from workers.core.weights.nano import NAME, NanoConfig, make_nano

SMALL = NanoConfig(layers=1, width=128, heads=2, rows=10, length=64)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fingerprint:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    make_nano(tmp_path / NAME, SMALL, seed=0)
    return fingerprint(NAME, weights=True)


def edited(file: Path, change: Callable[[Any], None]) -> None:
    told = json.loads(file.read_text())
    change(told)
    file.write_text(json.dumps(told))


def another_head_count(folder: Path) -> None:
    edited(folder / "config.json", lambda told: told.update(num_attention_heads=4, head_dim=32))


def another_place_of_a_word(folder: Path) -> None:
    def swap(told: Any) -> None:
        words = told["model"]["vocab"]
        words["aa#"], words["aa."] = words["aa."], words["aa#"]

    edited(folder / "tokenizer.json", swap)


def another_template(folder: Path) -> None:
    edited(folder / "tokenizer_config.json", lambda told: told.update(chat_template="{{ 1 }}"))


def other_weights(folder: Path) -> None:
    make_nano(folder, SMALL, seed=1)


def one_other_matrix(folder: Path) -> None:
    model = load_model(find_model(NAME), "language")
    with torch.no_grad():
        model.get_parameter("model.layers.0.mlp.down_proj.weight").mul_(1.001)
    model.save_pretrained(folder)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (another_head_count, "num_attention_heads was 2 and is 4"),
        (another_place_of_a_word, "its tokenizer differs"),
        (another_template, "its tokenizer differs"),
        (other_weights, "its weights differ"),
        (one_other_matrix, "its weights differ"),
    ],
)
def test_another_model_of_the_same_name_is_refused(
    tmp_path: Path, base: Fingerprint, change: Callable[[Path], None], told: str
) -> None:
    change(tmp_path / NAME)
    with pytest.raises(MethodError, match=f"The checkpoint was trained on.*: .*{told}") as raised:
        require_base("The checkpoint", NAME, base)
    assert str(tmp_path) in raised.value.remedy


def test_without_an_adapter_the_models_own_weights_do_not_matter(
    tmp_path: Path, base: Fingerprint
) -> None:
    other_weights(tmp_path / NAME)
    require_base("The checkpoint", NAME, base.model_copy(update={"weights": ""}))
    require_base("The checkpoint", NAME, None)


def test_the_same_model_in_another_folder_is_the_same(tmp_path: Path, base: Fingerprint) -> None:
    shutil.copytree(tmp_path / NAME, tmp_path / "copy")
    assert fingerprint("copy", weights=True) == base


def test_a_model_that_was_saved_again_is_the_same(tmp_path: Path, base: Fingerprint) -> None:
    again, source = tmp_path / "again", find_model(NAME)
    load_model(source, "language").save_pretrained(again, max_shard_size="300KB")
    load_tokenizer(source).save_pretrained(again)
    edited(
        again / "config.json",
        lambda told: told.update(transformers_version="9.0", dtype="bfloat16", a_new_one=1),
    )
    assert len(list(again.glob("*.safetensors"))) > 1
    require_base("The checkpoint", "again", base)


def test_a_model_that_is_not_here_is_only_needed_to_be_read(base: Fingerprint) -> None:
    require_base("The checkpoint", "absent", base, fetches=False)
    with pytest.raises(MethodError, match="not available"):
        require_base("The checkpoint", "absent", base)

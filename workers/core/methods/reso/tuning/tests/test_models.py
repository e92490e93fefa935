"""Which models are taken, and what is said of those that are not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch

from workers.core.methods.base import MethodError
from workers.core.methods.reso.tuning.models import find_model, load_model
from workers.core.methods.reso.tuning.tests.tiny import save_tiny


def refused(name: str) -> MethodError:
    with pytest.raises(MethodError) as caught:
        load_model(find_model(name), "language")
    return caught.value


def test_a_local_model_is_found_by_its_folder_s_name(models: Path) -> None:
    source = find_model("tiny")
    assert (source.place, source.head) == (str(models / "tiny"), "language")


@pytest.mark.parametrize("name", ["", "../tiny", "/etc", "a/b/c", ".hidden", "a/..", "tiny\n"])
def test_what_names_no_model_is_refused(models: Path, name: str) -> None:
    assert refused(name).code == "no_model"


@pytest.mark.parametrize("name", ["absent", "nobody/has-this-one"])
def test_a_missing_model_is_told_with_the_way_out(models: Path, name: str) -> None:
    error = refused(name)
    assert error.code == "model_missing"
    assert str(models) in error.remedy
    assert name in error.message


def test_a_model_with_code_of_its_own_is_refused_and_never_run(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a name that transformers does not have; and under one that it has, where it would load
    a head by chance."""
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    folder = tmp_path / "with-code"
    save_tiny(folder)
    ran = tmp_path / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    config = json.loads((folder / "config.json").read_text())
    own = {"AutoModelForCausalLM": "own.Own", "AutoConfig": "own.OwnConfig"}
    for model_type in ("own-type", "qwen2"):
        changed = {"architectures": ["OwnForProcessRewardModel"], "model_type": model_type}
        (folder / "config.json").write_text(json.dumps(config | changed | {"auto_map": own}))
        error = refused("with-code")
        assert error.code == "model_with_code"
        assert "code" in error.message
    assert not ran.exists()


def test_pickled_weights_are_not_read(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    save_tiny(tmp_path / "pickled")
    os.unlink(tmp_path / "pickled" / "model.safetensors")
    torch.save({}, tmp_path / "pickled" / "pytorch_model.bin")
    error = refused("pickled")
    assert error.code == "model_unreadable"
    assert "safetensors" in error.remedy

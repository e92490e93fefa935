"""Which models are taken, and what is said of those that are not."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from workers.core.benchmarks.tests.hub_server import SHA, Hub, reachable_hub
from workers.core.errors import MethodError
from workers.core.weights import local
from workers.core.weights.files import ADAPTER, INDEX, LIMIT, WEIGHTS
from workers.core.weights.models import find_model, load_model, load_tokenizer
from workers.core.weights.tests.tiny import save_tiny


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


@pytest.fixture
def own(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of models that a test may change."""
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path / "own"))
    save_tiny(tmp_path / "own" / "tiny")
    return tmp_path / "own"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: Path) -> Iterator[Hub]:
    """It has owner/tiny, with all that a stranger may put beside a model."""
    with reachable_hub(monkeypatch, tmp_path / "cache") as running:
        files = {path.name: path.read_bytes() for path in (own / "tiny").iterdir()}
        strange = {
            "pytorch_model.bin": b"\x80",
            "own.py": b"1/0",
            ADAPTER: b"{}",
            "a/b.json": b"{}",
        }
        for revision in ("main", SHA):
            running.files["owner/tiny", revision] = files | strange
        yield running


def fetched(hub: Hub) -> set[str]:
    return {path.rpartition("/")[2] for path in hub.asked if "/resolve/" in path}


def test_of_the_hub_only_descriptions_and_safetensors_are_fetched(hub: Hub) -> None:
    source = find_model("owner/tiny")
    assert WEIGHTS not in fetched(hub)
    load_tokenizer(source)
    assert load_model(source, "language").num_parameters() > 0
    assert WEIGHTS in fetched(hub)
    assert not fetched(hub) & {"pytorch_model.bin", "own.py", ADAPTER, "b.json"}
    hub.asked.clear()
    load_model(find_model("owner/tiny"), "language")
    assert not fetched(hub)


def test_what_was_fetched_is_read_while_the_hub_is_away(hub: Hub) -> None:
    load_model(find_model("owner/tiny"), "language")
    hub.broken = True
    assert load_model(find_model("owner/tiny"), "language").num_parameters() > 0
    assert refused("owner/other").code == "model_missing"


@pytest.mark.parametrize("place", ["tiny", "owner/tiny"])
def test_a_model_that_is_too_large_is_refused_before_its_weights_are_fetched(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv(LIMIT, "100000")
    with pytest.raises(MethodError) as caught:
        find_model(place)
    assert caught.value.code == "model_too_large"
    assert "bytes of files" in caught.value.message
    assert "100,000 bytes" in caught.value.message
    assert LIMIT in caught.value.remedy
    assert not fetched(hub)
    monkeypatch.setenv(LIMIT, "100000000")
    assert find_model(place).head == "language"


def test_a_hub_that_tells_no_sizes_is_not_believed(hub: Hub) -> None:
    hub.sizes = False
    error = refused("owner/tiny")
    assert (error.code, fetched(hub)) == ("model_missing", set())
    assert "its size" in error.message


def test_small_files_that_describe_a_large_model_are_refused(own: Path) -> None:
    path = own / "tiny" / "config.json"
    config = json.loads(path.read_text())
    for changed, told in (
        ({"num_hidden_layers": 1_000_000}, "1,000,000 layers"),
        ({"hidden_size": 1 << 20, "intermediate_size": 1 << 20}, "parameters"),
    ):
        path.write_text(json.dumps(config | {"layer_types": None} | changed))
        error = refused("tiny")
        assert (error.code, told in error.message) == ("model_too_large", True)


@pytest.mark.parametrize(
    "told", ["[]", "3", "null", "{", '{"model_type": "llama", "num_hidden_layers": "many"}']
)
def test_a_description_that_is_none_is_refused(own: Path, told: str) -> None:
    (own / "tiny" / "config.json").write_text(told)
    error = refused("tiny")
    assert error.code in ("model_unreadable", "model_missing")
    assert "“tiny”" in error.message


def test_shards_count_together_and_an_index_leads_nowhere_else(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = own / "tiny"
    shard = "model-00001-of-00001.safetensors"
    weights = load_file(folder / WEIGHTS)
    (folder / WEIGHTS).rename(folder / shard)
    index = {"metadata": {}, "weight_map": dict.fromkeys(weights, shard)}
    (folder / INDEX).write_text(json.dumps(index))
    assert load_model(find_model("tiny"), "language").num_parameters() > 0
    monkeypatch.setenv(LIMIT, "100000")
    assert refused("tiny").code == "model_too_large"
    monkeypatch.delenv(LIMIT)
    for elsewhere in (f"../{shard}", "other.safetensors"):
        index["weight_map"] = dict.fromkeys(weights, elsewhere)
        (folder / INDEX).write_text(json.dumps(index))
        assert "files that are missing" in refused("tiny").message
    (folder / INDEX).write_text("[]")
    assert refused("tiny").code == "model_unreadable"


def test_an_adapter_does_not_choose_another_model(own: Path) -> None:
    (own / "tiny" / ADAPTER).write_text(json.dumps({"base_model_name_or_path": "owner/other"}))
    assert refused("tiny").code == "model_is_adapter"


def test_links_lead_nowhere_out_of_the_folder_of_models(own: Path, tmp_path: Path) -> None:
    (own / "again").symlink_to(own / "tiny")
    assert find_model("again").head == "language"
    (own / "tiny").rename(tmp_path / "elsewhere")
    (own / "linked").symlink_to(tmp_path / "elsewhere")
    error = refused("linked")
    assert (error.code, "STUDIO_MODELS_DIR" in error.remedy) == ("model_outside", True)
    save_tiny(own / "tiny")
    (own / "tiny" / "vocab.txt").symlink_to("/etc/hostname")
    assert refused("tiny").code == "model_outside"


def test_a_model_that_would_fill_the_disk_is_not_fetched(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.core.weights.files.SPARE", 1 << 60)
    error = refused("owner/tiny")
    assert (error.code, fetched(hub)) == ("no_room_for_model", set())
    assert "HF_HOME" in error.remedy


@pytest.mark.parametrize("told", ["20 GB", "-1", "1e9"])
def test_a_limit_that_is_no_number_is_told(
    models: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    monkeypatch.setenv(LIMIT, told)
    error = refused("tiny")
    assert error.code == "bad_setting"
    assert told in error.message


def test_a_model_with_code_of_its_own_is_refused_and_never_run(own: Path) -> None:
    """Under a name that transformers does not have; and under one that it has, where it would load
    a head by chance."""
    folder, ran = own / "tiny", own / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    config = json.loads((folder / "config.json").read_text())
    code = {"AutoModelForCausalLM": "own.Own", "AutoConfig": "own.OwnConfig"}
    for model_type in ("own-type", "qwen2"):
        changed = {"architectures": ["OwnForProcessRewardModel"], "model_type": model_type}
        (folder / "config.json").write_text(json.dumps(config | changed | {"auto_map": code}))
        error = refused("tiny")
        assert error.code == "model_with_code"
        assert "code" in error.message
    assert not ran.exists()


def test_a_model_of_another_kind_is_refused_for_that(own: Path) -> None:
    """Its architecture is part of transformers."""
    file = own / "tiny" / "config.json"
    config = json.loads(file.read_text())
    changed = {"architectures": ["T5ForConditionalGeneration"], "model_type": "t5"}
    file.write_text(json.dumps(config | changed))
    error = refused("tiny")
    assert error.code == "model_of_other_kind"
    assert "T5ForConditionalGeneration) neither writes text" in error.message


def test_pickled_weights_are_not_read(own: Path) -> None:
    (own / "tiny" / WEIGHTS).unlink()
    torch.save({}, own / "tiny" / "pytorch_model.bin")
    error = refused("tiny")
    assert error.code == "model_unreadable"
    assert "safetensors" in error.remedy


@pytest.mark.parametrize("has_amx", [True, False])
def test_wide_models_have_16_bits_on_cpus_that_are_faster_so(
    models: Path, monkeypatch: pytest.MonkeyPatch, has_amx: bool
) -> None:
    monkeypatch.setattr(local, "_has_amx", lambda: has_amx)
    assert load_model(find_model("tiny"), "language").dtype == torch.float32
    monkeypatch.setattr(local, "WIDE", 1)
    expected = torch.bfloat16 if has_amx else torch.float32
    assert load_model(find_model("tiny"), "language").dtype == expected
    assert load_model(find_model("tiny"), "language", exact=True).dtype == torch.float32

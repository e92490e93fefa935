"""Checkpoints on a real disk: atomic, verified, and clear about what is wrong."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import torch

from workers.core.checkpoints import (
    CONFIG_NAME,
    CheckpointError,
    CheckpointInfo,
    ensure_shipped,
    load,
    read_info,
    require_shapes,
    save,
)
from workers.core.testing.checkpoints import edit

INFO = CheckpointInfo(
    method="mashost",
    label="after 300 queries",
    trained=True,
    seed=7,
    created_at=datetime(2026, 11, 21, tzinfo=UTC),
    code_version="0.1.0",
    recipe={"algorithm": "hrpo", "queries": 300},
    config={"hidden": 2},
)
TENSORS = {"b": torch.tensor([1.0, 2.0]), "a": torch.arange(6.0).reshape(2, 3)}


def saved(folder: Path) -> Path:
    save(folder, TENSORS, INFO)
    return folder


def code_of(folder: Path, method: str = "mashost") -> str:
    with pytest.raises(CheckpointError) as caught:
        load(folder, method=method)
    assert folder.name in caught.value.message
    return caught.value.code


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    info, tensors = load(saved(tmp_path / "one"), method="mashost")
    assert info.model_dump(exclude={"weights", "sha256"}) == INFO.model_dump(
        exclude={"weights", "sha256"}
    )
    assert tensors.keys() == TENSORS.keys()
    assert all(torch.equal(tensors[name], TENSORS[name]) for name in TENSORS)


def test_the_order_of_the_tensors_does_not_change_the_bytes(tmp_path: Path) -> None:
    first = save(tmp_path / "one", TENSORS, INFO)
    again = save(tmp_path / "two", dict(reversed(TENSORS.items())), INFO)
    assert first == again
    names = [
        sorted((path.name, path.read_bytes()) for path in (tmp_path / name).iterdir())
        for name in ("one", "two")
    ]
    assert names[0] == names[1]


def test_saving_again_replaces_and_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = saved(tmp_path / "one")
    save(folder, {"a": torch.zeros(1)}, INFO)
    assert len(list(folder.iterdir())) == 2
    assert load(folder, method="mashost")[1].keys() == {"a"}


def test_a_crash_before_the_commit_leaves_the_old_checkpoint_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = saved(tmp_path / "one")
    replace = Path.replace

    def crash_on_commit(self: Path, target: Path) -> Path:
        if Path(target).name == CONFIG_NAME:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", crash_on_commit)
    with pytest.raises(CheckpointError, match="No space left") as caught:
        save(folder, {"a": torch.zeros(1)}, INFO)
    assert caught.value.code == "not_written"
    monkeypatch.undo()
    assert load(folder, method="mashost")[1].keys() == TENSORS.keys()


def test_a_text_that_no_database_stores_is_a_text_all_the_same(tmp_path: Path) -> None:
    """Who makes a row of it sees to that; a training's state is never one."""
    recipe = {"a \0 key": ["nul \0"]}
    save(tmp_path / "one", TENSORS, INFO.model_copy(update={"recipe": recipe}))
    assert read_info(tmp_path / "one").recipe == recipe


class TestWhatIsWrong:
    def test_missing(self, tmp_path: Path) -> None:
        assert code_of(tmp_path / "nowhere") == "missing"

    @pytest.mark.parametrize("sha256", ["f" * 65, "F" * 64])
    def test_a_hash_that_is_none(self, tmp_path: Path, sha256: str) -> None:
        folder = saved(tmp_path / "one")
        edit(folder, sha256=sha256)
        with pytest.raises(CheckpointError, match="damaged sha256") as caught:
            read_info(folder)
        assert caught.value.code == "corrupt"

    def test_weights_that_were_damaged(self, tmp_path: Path) -> None:
        folder = saved(tmp_path / "one")
        weights = next(folder.glob("*.safetensors"))
        data = bytearray(weights.read_bytes())
        data[-1] ^= 1
        weights.write_bytes(data)
        assert code_of(folder) == "corrupt"

    def test_weights_that_are_gone(self, tmp_path: Path) -> None:
        folder = saved(tmp_path / "one")
        next(folder.glob("*.safetensors")).unlink()
        assert code_of(folder) == "corrupt"

    def test_json_that_is_cut_off(self, tmp_path: Path) -> None:
        folder = saved(tmp_path / "one")
        path = folder / CONFIG_NAME
        path.write_text(path.read_text()[:40])
        assert code_of(folder) == "corrupt"

    def test_a_weights_name_that_leads_elsewhere(self, tmp_path: Path) -> None:
        folder = saved(tmp_path / "one")
        edit(folder, weights="../../etc/passwd")
        assert code_of(folder) == "corrupt"

    def test_a_later_format(self, tmp_path: Path) -> None:
        folder = saved(tmp_path / "one")
        edit(folder, format=2)
        assert code_of(folder) == "wrong_version"

    def test_another_method(self, tmp_path: Path) -> None:
        assert code_of(saved(tmp_path / "one"), method="reso") == "wrong_method"

    def test_shapes(self, tmp_path: Path) -> None:
        with pytest.raises(CheckpointError, match=r"“a” is \(2, 3\), not \(3, 3\)") as caught:
            require_shapes(tmp_path, found=TENSORS, wanted=TENSORS | {"a": torch.zeros(3, 3)})
        assert caught.value.code == "wrong_shape"
        with pytest.raises(CheckpointError, match="“c” is nothing"):
            require_shapes(tmp_path, found=TENSORS, wanted=TENSORS | {"c": torch.zeros(1)})


class TestShipped:
    def test_what_comes_with_a_method_is_copied_once(self, tmp_path: Path) -> None:
        source, folder = tmp_path / "methods", tmp_path / "data" / "checkpoints"
        shipped = saved(source / "mashost" / "checkpoints" / "best")
        (shipped / "MODEL_CARD.md").write_text("# Best")
        assert ensure_shipped(folder, source) == ["best"]
        assert load(folder / "best", method="mashost")[0].label == INFO.label
        assert (folder / "best" / "MODEL_CARD.md").read_text() == "# Best"
        assert [path.name for path in folder.iterdir()] == ["best"]
        edit(folder / "best", label="somebody's")
        assert ensure_shipped(folder, source) == ["best"]
        assert read_info(folder / "best").label == "somebody's"

    def test_a_disk_that_refuses_leaves_nothing_half_written(self, tmp_path: Path) -> None:
        saved(tmp_path / "methods" / "mashost" / "checkpoints" / "best")
        (tmp_path / "checkpoints").write_text("a file where the folder should be")
        with pytest.raises(CheckpointError) as caught:
            ensure_shipped(tmp_path / "checkpoints", tmp_path / "methods")
        assert caught.value.code == "not_written"

    def test_all_that_comes_with_the_code_can_be_loaded(self, tmp_path: Path) -> None:
        for name in ensure_shipped(tmp_path):
            info = read_info(tmp_path / name)
            load(tmp_path / name, method=info.method)
            assert (tmp_path / name / "MODEL_CARD.md").is_file()
            assert info.trained
            assert info.trained_on

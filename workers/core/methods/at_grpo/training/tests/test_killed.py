"""A training that ends by `kill -9` and is resumed in another process, again and again, has the
weights of one that was not killed, bit for bit. It has told the same, and left the same files."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workers.core.events import EVENT_ADAPTER, TrainingMetric
from workers.core.methods.at_grpo.training.tests import killed
from workers.core.methods.at_grpo.training.tests.killed import PLACES
from workers.core.methods.at_grpo.training.tests.small import quick
from workers.core.rollouts.tests.taught import TAUGHT
from workers.core.rollouts.vllm.tests.served import served

ROOT = Path(__file__).parents[6]
Ended = dict[str, dict[str, list[int]]]


@pytest.fixture(scope="module")
def ended(nano_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """How each attempt ended, and the folder that theirs are in."""
    folder = tmp_path_factory.mktemp("killed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_MODELS_DIR", str(nano_folder))
        with served(TAUGHT) as server:
            done = subprocess.run(
                [sys.executable, "-m", killed.__name__, str(folder), server.url],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
            )
        assert not server.adapters, "none stays behind"
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", PLACES)
def test_killed_and_resumed_it_is_as_if_nothing_had_happened(
    ended: tuple[Path, Ended], name: str
) -> None:
    folder, told = ended[0], ended[1][name]
    expected = {
        place: [-signal.SIGKILL, each.step if place == "committed" else each.step - 1]
        for place, each in PLACES[name].items()
    }
    assert told == expected | {"resumed": [0, 3], "whole": [0, 3]}
    own, whole = files(folder / name), files(folder / f"{name}-whole")
    assert own.keys() == whole.keys()
    assert [each for each in own if own[each] != whole[each]] == []
    assert metrics(folder / f"{name}.jsonl") == metrics(folder / f"{name}-whole.jsonl")


def files(folder: Path) -> dict[str, bytes]:
    """What is in them, by their names. States are numbered on, and tell the time."""
    found = {
        re.sub(r"engine-\d+", "engine", str(each.relative_to(folder))): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file()
    }
    assert {"checkpoints/step-000003/checkpoint.json", "branches/step-000003.parquet"} <= {*found}
    assert any(each.endswith(".optimiser.safetensors") for each in found)
    return {
        name: b"" if name in ("state/checkpoint.json", "state/engine/engine.json") else content
        for name, content in found.items()
    }


def metrics(told: Path) -> dict[int, dict[str, float]]:
    """Of each step, what was told of it last."""
    events = map(EVENT_ADAPTER.validate_json, told.read_text().splitlines())
    found = {event.step: quick(event) for event in events if isinstance(event, TrainingMetric)}
    assert [*found] == [1, 2, 3]
    assert found[2]["gradient_norm"] > 0
    return found

"""Which models a run with a checkpoint asks, and how large they are taken to be."""

from pathlib import Path

import pytest

from workers.core.checkpoints import save
from workers.core.mas.tests.support import ScriptedClient, context, endpoint
from workers.core.methods.metaagent_x.config import METHOD_KEY, PROMPT_TOKENS
from workers.core.methods.metaagent_x.models import parameters_of, trained
from workers.core.rollouts.kept import Kept
from workers.core.testing.checkpoints import trained_info

SMALL, LARGE = "Qwen/Qwen2.5-Coder-0.5B-Instruct", "Qwen/Qwen3-8B"


def checkpoint(folder: Path, model: str, agents: tuple[str, ...], **training: int) -> Path:
    kept = Kept(environment="language", model=model, rank=16, alpha=32, agents=agents)
    info = trained_info(
        METHOD_KEY, recipe={"training": training}, config=kept.model_dump(mode="json")
    )
    save(folder / "best", {}, info)
    return folder / "best"


@pytest.mark.parametrize(
    ("agents", "models"),
    [
        (("designer", "executor"), ["best:designer", "best:executor"]),
        (("shared", "shared"), ["best:shared", "best:shared"]),
    ],
)
def test_each_role_asks_its_own_model(
    tmp_path: Path, agents: tuple[str, ...], models: list[str]
) -> None:
    folder = checkpoint(tmp_path, SMALL, agents)
    asked = trained(context(ScriptedClient(lambda _: ""), checkpoint=folder))
    assert [each.endpoint.model for each in asked] == models


@pytest.mark.parametrize(("model", "is_small"), [(SMALL, True), (LARGE, False)])
def test_it_reads_what_it_read_in_its_training(tmp_path: Path, model: str, is_small: bool) -> None:
    """Whatever the endpoint says of another model."""
    folder = checkpoint(tmp_path, model, ("shared", "shared"), prompt_tokens=700)
    other = endpoint(parameters=10**6 if not is_small else 10**10, context_length=512)
    designer, executor = trained(
        context(ScriptedClient(lambda _: ""), checkpoint=folder, endpoint=other)
    )
    allowed = designer.budget.max_completion_tokens_per_call
    for each in (designer, executor):
        assert each.endpoint.is_small is is_small
        assert each.endpoint.context_length == 700 + allowed


def test_a_checkpoint_that_does_not_say_its_room_has_the_usual_one(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path, SMALL, ("shared", "shared"))
    asked, _ = trained(context(ScriptedClient(lambda _: ""), checkpoint=folder))
    allowed = asked.budget.max_completion_tokens_per_call
    assert asked.endpoint.context_length == PROMPT_TOKENS + allowed


def test_a_models_size_comes_from_its_files_before_its_name(models: Path) -> None:
    found = parameters_of("tiny")
    assert found is not None
    assert 0 < found < 10**6
    assert parameters_of(LARGE) == 8 * 10**9
    assert parameters_of("somebody/something") is None

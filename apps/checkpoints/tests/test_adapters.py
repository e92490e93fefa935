"""Adapters for servers: what a tuning of ReSo leaves, which no run uses, and AT-GRPO's agents."""

import json
import resource
from pathlib import Path

import pytest
import torch
from django.core.management import CommandError, call_command

from apps.accounts.tests.cast import AsUser
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.registering import checkpoints_register
from apps.llms.models import Endpoint
from apps.roles.publishing import pool_publish
from apps.roles.services import pool_create, role_create
from apps.tasks.models import Dataset
from workers.core import checkpoints
from workers.core.agents.database import AgentKey, Statistics
from workers.core.agents.kept import save_profiles
from workers.core.testing.checkpoints import trained_info

pytestmark = pytest.mark.django_db
TENSOR = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"


@pytest.fixture
def planner(data_dir: Path) -> Checkpoint:
    """One that a training of a planner has left."""
    sizes = {"rank": 8, "alpha": 32, "max_tokens": 1536}
    info = trained_info("reso", config={"kind": "planner", "base_model": "small", **sizes})
    checkpoints.save(data_dir / "checkpoints" / "planner", {TENSOR: torch.ones(8, 4)}, info)
    checkpoints_register()
    return Checkpoint.objects.get(name="planner")


@pytest.mark.usefixtures("planner", "endpoint")
def test_no_run_begins_with_it_and_nobody_makes_it_the_default(as_user: AsUser) -> None:
    body = {"query": "1+1?", "method": "reso", "checkpoint": "planner"}
    errors = as_user("operator").post("/api/runs", body).json()["error"]["fields"]
    assert ("checkpoint", "other_checkpoint") in {(e["field"], e["code"]) for e in errors}
    answer = as_user("curator").post("/api/checkpoints/planner/promote")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_for_runs")


@pytest.mark.usefixtures("planner")
def test_it_is_written_as_an_ordinary_adapter(tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    call_command("export_adapter", "planner", str(folder))
    described = json.loads((folder / "adapter_config.json").read_text())
    assert (described["peft_type"], described["r"]) == ("LORA", 8)
    assert described["target_modules"] == ["q_proj"]
    assert (folder / "adapter_model.safetensors").is_file()
    with pytest.raises(CommandError, match="not empty"):
        call_command("export_adapter", "planner", str(folder))


@pytest.fixture
def team(data_dir: Path) -> Path:
    about = {"environment": "plan_path", "model": "small", "alpha": 16}
    agents = ("proposer", "planner")
    tensors = {f"{agent}:{TENSOR}": torch.ones(8, 4) for agent in agents}
    info = trained_info("at_grpo", config={**about, "rank": 8, "agents": agents})
    checkpoints.save(data_dir / "checkpoints" / "team", tensors, info)
    checkpoints_register()
    return data_dir / "checkpoints" / "team"


@pytest.mark.usefixtures("team")
def test_each_agent_of_a_team_has_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "adapters"
    call_command("export_adapter", "team", str(folder))
    for agent in ("proposer", "planner"):
        described = json.loads((folder / agent / "adapter_config.json").read_text())
        assert (described["r"], described["base_model_name_or_path"]) == (8, "small")


def test_on_a_full_disk_nothing_is_left_half_written(tmp_path: Path, team: Path) -> None:
    """The first agent's adapter still fits."""
    folder, before = tmp_path / "adapters", resource.getrlimit(resource.RLIMIT_FSIZE)
    stored, _ = checkpoints.load(team, method="at_grpo")
    checkpoints.save(
        team,
        {f"proposer:{TENSOR}": torch.ones(8, 4), f"planner:{TENSOR}": torch.ones(8, 9_000)},
        stored,
    )
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(CommandError, match="File too large"):
            call_command("export_adapter", "team", str(folder))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(folder.iterdir())
    call_command("export_adapter", "team", str(folder))
    assert {each.name for each in folder.iterdir()} == {"proposer", "planner"}


def test_agents_are_no_adapter(tmp_path: Path, data_dir: Path) -> None:
    known = {AgentKey("adder", "stub"): Statistics(0.5, 0.0, 2)}
    save_profiles(data_dir / "checkpoints" / "agents", known, trained_info("reso"))
    checkpoints_register()
    with pytest.raises(CommandError, match="has agents but no adapter"):
        call_command("export_adapter", "agents", str(tmp_path / "adapter"))
    with pytest.raises(CommandError, match="no checkpoint “gone”"):
        call_command("export_adapter", "gone", str(tmp_path / "adapter"))


def test_a_training_of_a_planner_does_not_say_how_many_steps_there_will_be(
    as_user: AsUser, dataset: Dataset, endpoint: Endpoint
) -> None:
    pool = pool_create(values={"key": "p", "name": "P"})
    about = {"family": "maths", "description": "d", "prompt": "p"}
    role_create(pool=pool, values={"key": "adder", "name": "Adder", **about})
    pool_publish(pool=pool, by=None)
    body = {"method": "reso", "dataset": dataset.key, "preset": "planner", "pool": "p"}
    answer = as_user("operator").post("/api/training-jobs", body)
    assert (answer.status_code, answer.json()["total_steps"]) == (201, 0)

"""Checkpoints over HTTP, as every member of the cast."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from apps.checkpoints.models import Checkpoint
from apps.checkpoints.registering import checkpoints_register
from apps.checkpoints.services import checkpoint_promote
from apps.llms.models import Endpoint
from apps.training.tests.conftest import MakeCheckpoint, MakeJob
from apps.training.tests.support import AsUser
from workers.core.checkpoints import save
from workers.core.testing.checkpoints import trained_info

pytestmark = pytest.mark.django_db


class TestCheckpoints:
    def test_the_list_and_what_compares_them(
        self, as_user: AsUser, make_checkpoint: MakeCheckpoint, make_job: MakeJob
    ) -> None:
        job = make_job(name="J")
        make_checkpoint("a", job=job, step=4, metrics={"reward": 0.5}, recipe={"seed": 1})
        make_checkpoint("b", promoted=True)
        make_checkpoint("c", label="Older")
        client = as_user("viewer")

        def names(query: str) -> set[str]:
            results = client.get(f"/api/checkpoints?{query}").json()["results"]
            return {row["name"] for row in results}

        assert names("") == {"a", "b", "c"}
        assert names("names=a,c") == {"a", "c"}
        assert names(f"job={job.id}") == {"a"}
        assert names("promoted=true") == {"b"}
        assert names("method=mashost") == set()
        assert names("q=older") == {"c"}
        one = client.get("/api/checkpoints/a").json()
        assert (one["job"], one["job_name"], one["step"]) == (str(job.id), "J", 4)
        assert (one["metrics"], one["recipe"]) == ({"reward": 0.5}, {"seed": 1})
        assert len(one["digest"]) == 64
        assert one["size_bytes"] > 0

    def test_what_runs_that_use_it_are_given(self, as_user: AsUser, data_dir: Path) -> None:
        trained = trained_info("learner", run={"max_agents": 6})
        save(data_dir / "checkpoints" / "a", {"value": torch.tensor([1.0])}, trained)
        checkpoints_register()
        client = as_user("viewer")
        assert client.get("/api/checkpoints/a").json()["run_config"] == {"max_agents": 6}
        Checkpoint.objects.update(run_config=None)  # as a row of an older version
        assert client.get("/api/checkpoints/a").json()["run_config"] is None
        checkpoints_register()
        assert client.get("/api/checkpoints/a").json()["run_config"] == {"max_agents": 6}

    def test_what_may_be_changed(self, as_user: AsUser, make_checkpoint: MakeCheckpoint) -> None:
        make_checkpoint("a")
        client, one = as_user("curator"), "/api/checkpoints/a"
        body = client.patch(one, {"label": "Good", "promoted": True, "digest": "x", "name": "z"})
        assert (body.json()["label"], body.json()["promoted"]) == ("Good", True)
        assert (body.json()["name"], body.json()["digest"] == "x") == ("a", False)
        assert client.patch(one, {"label": ""}).status_code == 400
        assert client.patch(one, {"promoted": False}).json()["promoted"] is False

    def test_a_default_one_stays(self, as_user: AsUser, make_checkpoint: MakeCheckpoint) -> None:
        checkpoint_promote(checkpoint=make_checkpoint("a"))
        client = as_user("curator")
        for answer in (
            client.delete("/api/checkpoints/a"),
            client.patch("/api/checkpoints/a", {"promoted": False}),
        ):
            assert answer.status_code == 409
            assert answer.json()["error"]["code"] == "checkpoint_is_default"

    def test_one_that_a_run_used_stays(
        self, as_user: AsUser, make_checkpoint: MakeCheckpoint, endpoint: Endpoint
    ) -> None:
        make_checkpoint("a")
        run = {"query": "q", "method": "learner", "checkpoint": "a"}
        assert as_user("operator").post("/api/runs", run).status_code == 201
        answer = as_user("curator").delete("/api/checkpoints/a")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "checkpoint_in_use")

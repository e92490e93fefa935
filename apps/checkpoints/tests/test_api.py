"""Checkpoints over HTTP, as every member of the cast."""

from pathlib import Path

import pytest
import torch

from apps.accounts.tests.cast import AsUser
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.registering import checkpoints_register
from apps.checkpoints.services import checkpoint_promote
from apps.training.tests.conftest import MakeCheckpoint, MakeJob
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

    def test_they_are_curated(self, as_user: AsUser, make_checkpoint: MakeCheckpoint) -> None:
        make_checkpoint("brought")
        make_checkpoint("default", is_default=True)
        client, one = as_user("curator"), "/api/checkpoints/brought"
        assert client.patch(one, {"label": "New"}).status_code == 200
        assert client.post(f"{one}/promote").status_code == 200
        Checkpoint.objects.filter(name="brought").update(is_default=False)
        assert client.delete(one).status_code == 204

    def test_one_that_is_not_there(self, as_user: AsUser) -> None:
        missing = "/api/checkpoints/none"
        assert as_user("admin").get(missing).status_code == 404
        assert as_user("admin").post(f"{missing}/promote").status_code == 404

    def test_a_default_one_stays(self, as_user: AsUser, make_checkpoint: MakeCheckpoint) -> None:
        checkpoint_promote(checkpoint=make_checkpoint("a"))
        client = as_user("curator")
        for answer in (
            client.delete("/api/checkpoints/a"),
            client.patch("/api/checkpoints/a", {"promoted": False}),
        ):
            assert answer.status_code == 409
            assert answer.json()["error"]["code"] == "checkpoint_is_default"


def test_methods_say_whether_their_runs_use_a_checkpoint_by_default(
    as_user: AsUser, make_checkpoint: MakeCheckpoint
) -> None:
    made = make_checkpoint("default", is_default=True)
    methods = as_user("viewer").get("/api/methods").json()
    assert [each["key"] for each in methods if each["has_default_checkpoint"]] == [made.method]

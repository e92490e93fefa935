"""Curves, samples and what methods say of themselves, over HTTP."""

from pathlib import Path
from typing import Any

import pytest

from apps.accounts.tests.cast import AsUser
from apps.training.models import TrainingJob
from apps.training.tests.conftest import MakeJob
from apps.training.tests.support import METHOD_DEFAULTS, address
from workers.core.weights.nano import parameters

pytestmark = pytest.mark.django_db


class TestCurves:
    def test_metrics_page_by_page(self, as_user: AsUser, curve: TrainingJob) -> None:
        client = as_user("viewer")
        page = client.get(address(curve, "/metrics?page_size=2")).json()
        assert [row["step"] for row in page["results"]] == [1, 2]
        assert page["results"][0]["values"] == {"reward": 0.1}
        assert page["next_after"] == 2
        page = client.get(address(curve, "/metrics?after=2")).json()
        assert ([row["step"] for row in page["results"]], page["next_after"]) == ([3], 3)
        page = client.get(address(curve, "/metrics?after=3")).json()
        assert page == {"results": [], "next_after": None}

    def test_bad_places(self, as_user: AsUser, curve: TrainingJob) -> None:
        client = as_user("viewer")
        places = ("x", "-1", "99999999999", "000000000000" + "9" * 30)
        sizes = ("0", "5001", "000000000005000000")
        for query in (*(f"after={at}" for at in places), *(f"page_size={size}" for size in sizes)):
            assert client.get(address(curve, f"/metrics?{query}")).status_code == 400, query

    def test_samples_of_a_step(self, as_user: AsUser, curve: TrainingJob) -> None:
        client = as_user("viewer")
        (sample,) = client.get(address(curve, "/samples?step=2")).json()
        assert sample == {
            "id": sample["id"],
            "step": 2,
            "index": 0,
            "query": "q",
            "reference": "r",
            "correct": True,
            "reward": 0.25,
            "tokens": 9,
            "agents": 1,
        }
        assert [row["step"] for row in client.get(address(curve, "/samples")).json()] == [3, 2, 1]
        assert client.get(address(curve, "/samples?step=9")).json() == []
        assert client.get(address(curve, "/samples?step=x")).status_code == 400
        whole = client.get(address(curve, f"/samples/{sample['id']}")).json()
        assert whole["events"][0]["event"] == "intermediate_answer"
        assert whole["reward_parts"] == {"group": 0.25, "action": [1.0], "advantage": [0.5]}
        assert sample.items() <= whole.items()

    def test_long_texts_are_cut_in_the_list_alone(
        self, as_user: AsUser, curve: TrainingJob
    ) -> None:
        texts = {"query": "q" * 100_000, "reference": "r" * 100_000}
        curve.samples.filter(step=2).update(**texts)
        curve.samples.filter(step=3).update(reference=None)
        client = as_user("viewer")
        unknown, long, short = client.get(address(curve, "/samples")).json()
        assert (long["query"], long["reference"]) == ("q" * 300, "r" * 300)
        assert (short["query"], unknown["reference"]) == ("q", None)
        whole = client.get(address(curve, f"/samples/{long['id']}")).json()
        assert texts.items() <= whole.items()

    def test_a_sample_is_its_job_s(
        self, as_user: AsUser, curve: TrainingJob, make_job: MakeJob
    ) -> None:
        sample = curve.samples.get(step=1)
        other = address(make_job(), f"/samples/{sample.id}")
        assert as_user("viewer").get(other).status_code == 404


class TestMethods:
    def test_local_models_with_what_they_take(
        self, as_user: AsUser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
        assert as_user("viewer").get("/api/training/models").json() == [
            {
                "name": "nano",
                "parameters": parameters(),
            }
        ]

    def test_the_memory_that_a_training_takes(
        self, as_user: AsUser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))

        def told(**body: Any) -> Any:
            sent = {"method": "at_grpo", "preset": "studio"} | body
            return as_user("operator").post("/api/training-jobs/memory", sent).json()

        memory = told()["memory"]
        assert memory["weights"] == 4 * parameters()
        assert memory["total"] == sum(
            memory[name] for name in ("weights", "moments", "reference", "updating")
        )
        two = told(config={"level": "models"})["memory"]
        assert two["weights"] == 2 * memory["weights"]
        assert told(preset="language") == told(method="learner") == {"memory": None}
        assert told(config={"branches": 0})["error"]["fields"][0]["field"] == "config.branches"

    def test_presets_are_whole(self, as_user: AsUser) -> None:
        rows = {row["method"]: row for row in as_user("viewer").get("/api/training/methods").json()}
        learner = rows["learner"]
        assert list(learner["presets"]) == ["plain", "short", "long"]
        assert learner["presets"]["short"] == {**METHOD_DEFAULTS, "steps": 3}
        assert learner["config_schema"]["properties"]["steps"]["minimum"] == 1
        assert "direct" not in rows
        assert (learner["asks_endpoint"], rows["at_grpo"]["asks_endpoint"]) == (True, False)

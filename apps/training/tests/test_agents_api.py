"""The live agent database over HTTP: searched, kept as a checkpoint, put back, compared."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.agents import searching, vectors
from apps.agents.admission import SEARCHES_PER_USER, searches
from apps.agents.api.database import SETTINGS, SearchWantedSerializer
from apps.agents.filling import agents_fill
from apps.agents.history import Earned, profile_record_reward, profiles_record_rewards
from apps.agents.models import AgentProfile
from apps.agents.tests.profiles import make_profiles
from apps.agents.vectors import vectors_keep, vectors_of
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.registering import checkpoints_register
from apps.common.errors import ApplicationError
from apps.llms.models import Endpoint
from apps.roles.models import Role, RolePool
from apps.roles.publishing import pool_publish
from apps.tasks.models import Dataset
from apps.training.models import TrainingJob
from apps.training.tests.conftest import save_checkpoint
from workers.core.agents.database import AgentKey, Statistics
from workers.core.agents.kept import load_profiles, save_profiles
from workers.core.agents.scoring import Floats
from workers.core.checkpoints import read_info
from workers.core.events import AgentReward, AgentsRewarded
from workers.core.methods.reso.training.config import PRESETS, ReSoTrainingConfig
from workers.core.testing.checkpoints import trained_info

pytestmark = pytest.mark.django_db

ASKED = {"text": "add two numbers", "pool": "p", "exploration_weight": 0.0}


def direction(place: int, share: float = 1.0) -> list[float]:
    """A unit vector that has `share` of the first direction and the rest of another one."""
    vector = [0.0] * 384
    vector[0] = share
    vector[place] += (1 - share**2) ** 0.5
    return vector


@pytest.fixture
def agents() -> dict[str, AgentProfile]:
    """`near` and `able` suit what is asked, of which `able` has earned more; `far` does not."""
    profiles = make_profiles(("near", "able", "far"))
    for place, (key, share) in enumerate((("near", 0.9), ("able", 0.6), ("far", 0.1)), start=1):
        Role.objects.filter(key=key).update(embedding=direction(place, share))
    pool_publish(pool=RolePool.objects.get(key="p"), by=None)
    return {profile.role.key: profile for profile in profiles}


@pytest.fixture(autouse=True)
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a worker was asked to embed; every text is of the first direction."""
    texts: list[str] = []

    def answer(asked: Sequence[str]) -> Floats:
        texts.extend(asked)
        return np.array([direction(1, 1.0)] * len(asked), dtype=np.float32)

    monkeypatch.setattr(searching, "vectors_of", answer)
    return texts


def search(client: APIClient, **change: Any) -> Any:
    return client.post("/api/agents/search", {**ASKED, **change}, format="json")


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def earn(agent: AgentProfile, *rewards: float, **where: Any) -> None:
    for reward in rewards:
        profile_record_reward(profile_id=agent.pk, reward=reward, cost=0.1, earned=Earned(**where))


def checkpoint(data_dir: Path, name: str, known: dict[tuple[str, str], Statistics]) -> None:
    save_profiles(
        data_dir / "checkpoints" / name,
        {AgentKey(*key): each for key, each in known.items()},
        trained_info("reso", trained_on=("a" * 64,)),
    )
    checkpoints_register()


@pytest.mark.usefixtures("agents")
class TestSearch:
    def test_who_would_be_picked_and_each_part_of_the_score(
        self, as_user: AsUser, agents: dict[str, AgentProfile], embedded: list[str]
    ) -> None:
        earn(agents["able"], 1.0, 1.0)
        earn(agents["near"], 0.0)
        body = search(as_user("viewer")).json()
        assert embedded == ["add two numbers"]  # roles have their vectors already
        assert (body["agents"], body["selections"], body["reached"]) == (3, 3, True)
        assert body["nearest"] == pytest.approx(0.9)
        first = body["candidates"][0]
        assert (first["role_key"], first["agent"]) == ("able", agents["able"].pk)
        assert (first["reward"], first["count"], first["similarity"]) == (1.0, 2, 1.0)
        assert first["performance"] == pytest.approx(0.9)
        assert first["score"] == pytest.approx(0.9)
        assert [row["similarity"] for row in body["candidates"]] == [1.0, 0.0, 1.0]
        [eager, *_] = search(as_user("viewer"), exploration_weight=10).json()["candidates"]
        assert (eager["role_key"], eager["count"]) == ("far", 0)
        assert eager["exploration"] > 100

    def test_settings_that_are_left_out_are_those_of_a_training_as_it_begins(self) -> None:
        asked = SearchWantedSerializer(data={"text": "add", "pool": "p"})
        assert asked.is_valid()
        training = ReSoTrainingConfig.model_validate(PRESETS["studio"])
        shared = [name for name in SETTINGS if name != "k"]
        assert {name: asked.validated_data[name] for name in shared} == {
            name: getattr(training, name) for name in shared
        }

    def test_nobody_reaches_a_high_threshold(self, as_user: AsUser) -> None:
        body = search(as_user("viewer"), threshold=0.95).json()
        assert (body["reached"], body["threshold"]) == (False, 0.95)
        assert body["candidates"][0]["role_key"] == "near"

    def test_with_what_a_checkpoint_knows(self, as_user: AsUser, data_dir: Path) -> None:
        checkpoint(data_dir, "c", {("near", "old"): Statistics(1.0, 0.0, 5)})
        AgentProfile.objects.all().delete()
        body = search(as_user("viewer"), checkpoint="c").json()
        first = body["candidates"][0]
        assert (first["role_key"], first["endpoint"], first["agent"]) == ("near", "old", None)
        assert (first["count"], body["selections"]) == (5, 5)

    def test_a_role_whose_draft_has_changed_is_embedded_as_it_is_published(
        self, as_user: AsUser, agents: dict[str, AgentProfile], embedded: list[str]
    ) -> None:
        published = agents["far"].role.spec().profile()
        Role.objects.filter(key="far").update(description="Something else.")
        search(as_user("viewer"))
        assert embedded == ["add two numbers", published]

    def test_what_cannot_be_searched(self, as_user: AsUser, data_dir: Path) -> None:
        RolePool.objects.create(key="draft", name="Draft")
        save_checkpoint(data_dir / "checkpoints" / "other")
        checkpoints_register()
        wrong: list[tuple[dict[str, Any], tuple[int, str]]] = [
            ({"pool": "none"}, (400, "unknown_pool")),
            ({"pool": "draft"}, (400, "pool_unpublished")),
            ({"checkpoint": "none"}, (404, "unknown_checkpoint")),
            ({"checkpoint": "other"}, (409, "checkpoint_wrong_method")),
            ({"endpoints": ["none"]}, (400, "unknown_endpoint")),
            ({"k": 21}, (400, "max_value")),
            ({"text": ""}, (400, "blank")),
            ({"text": "x" * 4_001}, (400, "max_length")),
            ({"threshold": "nan"}, (400, "invalid")),
            ({"exploration_weight": "nan"}, (400, "invalid")),
            ({"gate": "open"}, (400, "invalid_choice")),
        ]
        for change, refused in wrong:
            answer = search(as_user("viewer"), **change)
            error = answer.json()["error"]
            [told] = error["fields"] or [error]
            assert (answer.status_code, told["code"]) == refused, change

    def test_few_wait_at_once_and_nobody_with_a_connection(
        self, as_user: AsUser, cast: dict[str, User], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(searching, "vectors_of", vectors_of)
        done: list[str] = []

        def send(*_: object, **__: object) -> bool:
            done.append("asked")
            return True

        monkeypatch.setattr(vectors, "connection_release", lambda: done.append("released"))
        monkeypatch.setattr(vectors, "send", send)
        monkeypatch.setattr(vectors, "WAIT_SECONDS", 0.0)
        assert search(as_user("viewer")).status_code == 503
        assert done == ["released", "asked"]
        with ExitStack() as waiting:
            for _ in range(SEARCHES_PER_USER):
                waiting.enter_context(searches.counted(cast["viewer"].pk))
            assert code(search(as_user("viewer"))) == (429, "too_many_searches")
            assert search(as_user("curator")).status_code == 503

    def test_it_takes_as_many_statements_for_many_agents_as_for_few(
        self, as_user: AsUser, agents: dict[str, AgentProfile], data_dir: Path
    ) -> None:
        def statements() -> int:
            with CaptureQueriesContext(connection) as asked:
                assert search(client, k=20).status_code == 200
                assert client.get("/api/agents/curves?most=20").status_code == 200
                assert client.get("/api/agents/compare?left=c&pool=p").status_code == 200
            return len(asked)

        checkpoint(data_dir, "c", {("near", "e"): Statistics(0.25, 0.0, 4)})
        client = as_user("viewer")
        earn(agents["near"], 1.0)
        client.get("/api/agents?limit=1")
        few = statements()
        for key in ("f", "g", "h"):
            Endpoint.objects.create(key=key, name=key, base_url="https://x.example", model="m")
        agents_fill(pool_key="p")
        for agent in AgentProfile.objects.all():
            earn(agent, 1.0)
        assert statements() == few

    def test_an_empty_database_says_so(self, as_user: AsUser) -> None:
        AgentProfile.objects.all().delete()
        assert code(search(as_user("viewer"))) == (409, "no_agents")


class TestVectors:
    def test_a_text_is_embedded_once_an_hour(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[list[str]] = []

        def ask(task: str, texts: list[str], **_: object) -> bool:
            asked.append(texts)
            vectors_keep(texts, np.ones((len(texts), 3), dtype=np.float32))
            return True

        monkeypatch.setattr(vectors, "send", ask)
        assert vectors_of(["one", "two"]).tolist() == [[1, 1, 1]] * 2
        assert vectors_of(["two", "three"]).shape == (2, 3)
        assert asked == [["one", "two"], ["three"]]
        cache.clear()

    def test_without_a_worker_it_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(vectors, "send", lambda *_, **__: True)
        monkeypatch.setattr(vectors, "WAIT_SECONDS", 0.0)
        with pytest.raises(ApplicationError) as refused:
            vectors_of(["nobody embeds this"])
        assert (refused.value.code, refused.value.status_code) == ("not_embedded", 503)

    def test_without_redis_it_is_told(self, redis_leaves: Any) -> None:
        redis_leaves()
        with pytest.raises(ApplicationError, match="Redis does not answer"):
            vectors_of(["x"])


class TestSnapshot:
    def test_what_is_known_becomes_a_checkpoint_that_can_be_promoted(
        self, as_user: AsUser, agents: dict[str, AgentProfile], data_dir: Path
    ) -> None:
        earn(agents["able"], 1.0, 0.0)
        client = as_user("curator")
        answer = client.post("/api/agents/snapshot", {"pool": "p", "label": "Monday"})
        assert answer.status_code == 201, answer.content
        made = answer.json()
        assert (made["method"], made["label"], made["trained"]) == ("reso", "Monday", True)
        recipe = made["recipe"]
        assert (recipe["kind"], recipe["pool"], recipe["by"]) == ("snapshot", "p", "curator")
        assert (recipe["agents"], recipe["selections"]) == (1, 2)
        _, known = load_profiles(data_dir / "checkpoints" / made["name"], method="reso")
        assert known == {AgentKey("able", "e"): Statistics(0.5, 0.1, 2)}
        promoted = client.post(f"/api/checkpoints/{made['name']}/promote")
        assert promoted.json()["is_default"] is True
        again = client.post("/api/agents/snapshot", {"pool": "p"}).json()
        assert again["name"] != made["name"]
        assert not list((data_dir / "checkpoints" / ".staging").glob("*"))

    def test_it_says_on_which_tasks_it_was_trained_where_all_are_known(
        self, as_user: AsUser, agents: dict[str, AgentProfile], data_dir: Path
    ) -> None:
        def trained_on() -> tuple[str, ...]:
            made = as_user("curator").post("/api/agents/snapshot", {"pool": "p"}).json()
            return read_info(data_dir / "checkpoints" / made["name"]).trained_on

        job = TrainingJob.objects.create(name="j", method="reso")
        reward = AgentReward(role_key="able", endpoint="e", reward=1.0, cost=0.0)
        event = AgentsRewarded(step=1, rewards=(reward,))
        profiles_record_rewards(pool_key="p", job_id=job.pk, event=event)
        assert trained_on() == ()  # the training has left no checkpoint yet
        checkpoint(data_dir, "of-job", {})
        Checkpoint.objects.filter(name="of-job").update(job=job)
        assert trained_on() == ("a" * 64,)
        earn(agents["able"], 1.0)
        assert trained_on() == ()

    def test_of_many_trainings_it_asks_at_once(
        self, as_user: AsUser, agents: dict[str, AgentProfile], data_dir: Path
    ) -> None:
        def statements() -> int:
            with CaptureQueriesContext(connection) as asked:
                assert client.post("/api/agents/snapshot", {"pool": "p"}).status_code == 201
            return sum(each["sql"].startswith("SELECT") for each in asked.captured_queries)

        def train(number: int) -> None:
            job = TrainingJob.objects.create(name=f"j{number}", method="reso")
            checkpoint(data_dir, f"c{number}", {})
            Checkpoint.objects.filter(name=f"c{number}").update(job=job)
            earn(agents["able"], 1.0, job_id=job.pk, step=1, position=0)

        client = as_user("curator")
        train(1)
        statements()
        few = statements()
        for number in (2, 3, 4):
            train(number)
        assert statements() == few

    def test_nothing_learned_is_no_snapshot(
        self, as_user: AsUser, agents: dict[str, AgentProfile]
    ) -> None:
        answer = as_user("curator").post("/api/agents/snapshot", {"pool": "p"})
        assert code(answer) == (409, "nothing_learned")


class TestRestore:
    def test_it_goes_back_to_a_checkpoint_and_keeps_what_was_there(
        self, as_user: AsUser, agents: dict[str, AgentProfile], data_dir: Path
    ) -> None:
        earn(agents["able"], 1.0, 0.0)
        checkpoint(data_dir, "c", {("near", "e"): Statistics(0.25, 0.0, 4)})
        wanted = {"pool": "p", "checkpoint": "c"}
        body = as_user("curator").post("/api/agents/restore", wanted).json()
        assert body["restored"] == {"agents": 3, "changed": 2, "cleared": 1, "new": 0, "gone": 0}
        near = AgentProfile.objects.get(role__key="near")
        assert (near.reward, near.count) == (0.25, 4)
        undone = {"pool": "p", "checkpoint": body["before"], "keep": False}
        again = as_user("curator").post("/api/agents/restore", undone, format="json").json()
        assert (again["restored"]["changed"], again["before"]) == (2, None)
        able = AgentProfile.objects.get(role__key="able")
        assert (able.reward, able.count, able.recorded) == (0.5, 2, 4)

    @pytest.mark.parametrize(
        "strange", [Statistics(1e300, 0.0, 1), Statistics(0.5, 0.0, 2**62), Statistics(0.5, 1e13)]
    )
    def test_what_the_next_reward_would_break_is_not_restored(
        self, as_user: AsUser, agents: dict[str, AgentProfile], data_dir: Path, strange: Statistics
    ) -> None:
        checkpoint(data_dir, "c", {("near", "e"): strange})
        wanted = {"pool": "p", "checkpoint": "c"}
        answer = as_user("curator").post("/api/agents/restore", wanted)
        assert code(answer) == (409, "checkpoint_corrupt")
        earn(agents["near"], 1.0)


@pytest.mark.usefixtures("agents")
class TestRewardCheckpoint:
    BODY: ClassVar[dict[str, Any]] = {
        **{"method": "reso", "dataset": "sums", "pool": "p", "endpoint": "e"},
        "config": {"reward": "model", "reward_checkpoint": "judge"},
    }

    def test_one_that_is_not_there_is_told_before_anything_begins(
        self, as_user: AsUser, dataset: Dataset, data_dir: Path
    ) -> None:
        answer = as_user("operator").post("/api/training-jobs", self.BODY, format="json")
        [wrong] = answer.json()["error"]["fields"]
        assert (wrong["field"], wrong["code"]) == ("config", "unknown_checkpoint")
        assert not TrainingJob.objects.exists()

    @pytest.mark.usefixtures("dataset", "sent")
    def test_one_that_a_training_names_stays(self, as_user: AsUser, data_dir: Path) -> None:
        checkpoint(data_dir, "judge", {})
        answer = as_user("operator").post("/api/training-jobs", self.BODY, format="json")
        assert answer.status_code == 201, answer.content
        refused = as_user("admin").delete("/api/checkpoints/judge")
        assert refused.status_code == 409
        assert "trainings that use its rewards" in refused.json()["error"]["message"]


class TestCompare:
    def test_two_checkpoints_or_one_and_the_live_agents(
        self, as_user: AsUser, agents: dict[str, AgentProfile], data_dir: Path
    ) -> None:
        earn(agents["able"], 1.0)
        earn(agents["far"], 0.5)
        known = {(key, "e"): Statistics(1.0, 0.0, 4) for key in ("able", "far", "lost")}
        known["able", "e"] = Statistics(0.75, 0.0, 4)
        checkpoint(data_dir, "c", known)
        client = as_user("viewer")
        body = client.get("/api/agents/compare?left=c&pool=p").json()
        assert (body["count"], body["only_left"], body["only_right"]) == (3, 1, 0)
        found = {row["role_key"]: row for row in body["rows"]}
        names = [(key, row["role_name"]) for key, row in found.items()]
        assert names == [("far", "Role far"), ("able", "Role able"), ("lost", "")]
        fell = {"reward": -0.5, "cost": pytest.approx(0.1), "count": -3}
        assert found["far"]["change"] == fell
        assert (found["lost"]["change"], found["lost"]["right"]) == (None, None)
        same = client.get("/api/agents/compare?left=c&right=c&pool=p").json()
        assert {row["change"]["reward"] for row in same["rows"]} == {0.0}
        assert client.get("/api/agents/compare?left=none&pool=p").status_code == 404
        assert client.get("/api/agents/compare?pool=p").status_code == 400

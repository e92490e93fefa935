"""What agents have beside their roles: who may write it, and what takes it."""

from collections.abc import Callable
from typing import Any

import pytest

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.agents.models import AgentProfile, ProfileSet
from apps.agents.own import profile_update
from apps.agents.services import profiles_ensure
from apps.agents.tests.profiles import make_endpoint, make_profiles
from apps.evaluations.coordinator import advance
from apps.evaluations.requests import ArmRequest, EvaluationRequest
from apps.evaluations.services import evaluation_create
from apps.roles.publishing import pool_publish
from apps.runs.models import Run
from apps.runs.requests import RunRequest
from apps.runs.selectors import run_spec
from apps.runs.services import run_cancel, run_create, run_retry
from apps.tasks.models import Dataset, Task
from apps.training.requests import TrainingRequest
from apps.training.services import training_create

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("owner")]

OWN = {"role": "b", "endpoint": "e", "prompt": "Add slowly.", "memory": "Carry the one."}


@pytest.fixture
def agent(cast: dict[str, User]) -> AgentProfile:
    """One of three agents of a published pool: `b` on `e`."""
    agents = make_profiles("abc")
    pool_publish(pool=agents[0].role.pool, by=None)
    return agents[1]


@pytest.fixture
def owner(agent: AgentProfile, cast: dict[str, User]) -> AgentProfile:
    texts = {name: OWN[name] for name in ("prompt", "memory")}
    return profile_update(agent=agent, values=texts, by=cast["curator"])


@pytest.fixture
def ask(cast: dict[str, User]) -> Callable[..., Run]:
    def make(**values: Any) -> Run:
        asked = {"query": "1 + 1?", "method": "reso", "pool": "p", "endpoint": "e", **values}
        return run_create(user=cast["operator"], request=RunRequest(**asked)).row

    return make


def taken(profiles: ProfileSet | None) -> list[dict[str, str]] | None:
    return profiles.profiles if profiles else None


def test_curators_write_it(as_user: AsUser, agent: AgentProfile) -> None:
    body = {"memory": "Carry the one."}
    as_user("curator").patch(f"/api/agents/{agent.pk}", body, format="json")
    agent.refresh_from_db()
    assert (agent.memory, agent.edited_by) == ("Carry the one.", "curator")


def test_only_what_is_named_changes_and_empty_gives_the_role_s_again(
    as_user: AsUser, owner: AgentProfile
) -> None:
    path, client = f"/api/agents/{owner.pk}", as_user("curator")
    found = client.patch(path, {"prompt": ""}, format="json").json()
    assert (found["prompt"], found["has_own_prompt"], found["role_prompt"]) == ("p", False, "p")
    assert (found["memory"], found["edited_by"]) == ("Carry the one.", "curator")
    again = client.patch(path, {"prompt": ""}, format="json").json()
    assert again["edited_at"] == found["edited_at"] == client.get(path).json()["edited_at"]
    assert client.patch(f"/api/agents/{owner.pk + 9}", {}, format="json").status_code == 404


@pytest.mark.parametrize(
    ("texts", "field", "says"),
    [
        ({"prompt": "a" * 20_001}, "prompt", "20000"),
        ({"memory": "a" * 8_001}, "memory", "8000"),
        ({"prompt": "a" * 15_000, "memory": "b" * 6_000}, "memory", "1,040 characters too long"),
        ({"prompt": "a\x07"}, "prompt", "control characters"),
        ({"prompt": ["a"]}, "prompt", "string"),
    ],
)
def test_what_no_agent_can_be_told_is_refused(
    as_user: AsUser, agent: AgentProfile, texts: dict[str, Any], field: str, says: str
) -> None:
    before = (agent.prompt, agent.memory, agent.edited_at)
    answer = as_user("curator").patch(f"/api/agents/{agent.pk}", texts, format="json")
    assert answer.status_code == 400
    (error,) = answer.json()["error"]["fields"]
    assert error["field"] == field
    assert says in error["message"]
    agent.refresh_from_db()
    assert (agent.prompt, agent.memory, agent.edited_at) == before


def test_its_statistics_stay(owner: AgentProfile, cast: dict[str, User]) -> None:
    """A reward may come between the reading of an agent and the writing of its text."""
    AgentProfile.objects.filter(pk=owner.pk).update(reward=0.5, count=4)
    profile_update(agent=owner, values={"memory": "Look twice."}, by=cast["curator"])
    assert (owner.reward, owner.count) == (0.5, 4)
    stored = AgentProfile.objects.get(pk=owner.pk)
    assert (stored.reward, stored.count, stored.memory) == (0.5, 4, "Look twice.")


def test_a_run_takes_it_and_keeps_it(
    owner: AgentProfile, ask: Callable[..., Run], cast: dict[str, User]
) -> None:
    run = ask()
    profile_update(agent=owner, values={"prompt": "Another."}, by=cast["curator"])
    (profile,) = run_spec(run).profiles
    assert profile.model_dump() == OWN
    assert taken(ask().profiles) == [{**OWN, "prompt": "Another."}]
    ended = run_cancel(user=cast["operator"], run_id=run.id, as_admin=False)
    assert run_retry(user=cast["operator"], run=ended).row.profiles_id == run.profiles_id


def test_it_is_stored_once(ask: Callable[..., Run]) -> None:
    assert ask().profiles_id == ask().profiles_id
    assert ProfileSet.objects.count() == 1


def test_who_is_not_of_the_run_says_nothing(ask: Callable[..., Run]) -> None:
    make_endpoint("f")
    profiles_ensure(pool_key="p", agents=[("f", "a")])
    AgentProfile.objects.filter(endpoint__key="f").update(memory="Elsewhere.")
    assert taken(ask().profiles) == [OWN]
    assert ask(endpoint="f", method_config={"endpoints": ["e"]}).profiles is not None
    both = taken(ask(method_config={"endpoints": ["f"]}).profiles)
    assert both is not None
    assert [(each["role"], each["endpoint"]) for each in both] == [("a", "f"), ("b", "e")]
    assert taken(ask(method_config={"planner_endpoint": "f"}).profiles) == [OWN]
    assert ask(method="mashost").profiles is None
    assert ask(method="direct", pool=None).profiles is None
    AgentProfile.objects.update(prompt="", memory="")
    assert ask().profiles is None


def test_too_much_for_a_run_is_refused(as_user: AsUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.agents.own.MOST_CHARS", 20)
    body = {"query": "1 + 1?", "method": "reso", "pool": "p", "endpoint": "e"}
    answer = as_user("operator").post("/api/runs", body, format="json")
    assert answer.status_code == 400
    assert "Choose fewer endpoints" in answer.json()["error"]["fields"][0]["message"]
    assert not Run.objects.exists()


def test_trainings_and_evaluations_take_it(cast: dict[str, User]) -> None:
    dataset = Dataset.objects.create(key="sums", name="Sums", digest="d" * 64)
    question = {"query": "What is 1 + 2?", "reference": "3", "verifier": "numeric"}
    for split in ("train", "dev"):
        Task.objects.create(dataset=dataset, split=split, index=0, **question)
    where = {"method": "reso", "pool": "p", "endpoint": "e"}
    job = training_create(
        user=cast["operator"], request=TrainingRequest(dataset="sums", **where)
    ).row
    assert taken(job.profiles) == [OWN]
    arms = (ArmRequest(**where), ArmRequest(method="direct", endpoint="e"))
    request = EvaluationRequest(dataset="sums", split="dev", arms=arms)
    evaluation = evaluation_create(user=cast["operator"], request=request).row
    AgentProfile.objects.update(prompt="Later.")
    advance(evaluation.id)
    runs = {run.method: run for run in evaluation.runs.all()}
    assert taken(runs["reso"].profiles) == [OWN]
    assert runs["direct"].profiles is None

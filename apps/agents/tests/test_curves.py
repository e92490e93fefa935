"""What was learned of several agents, to draw: of all experience, or of one training alone."""

from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.agents.history import Earned, profile_record_reward
from apps.agents.models import AgentProfile
from apps.agents.tests.profiles import make_profiles
from apps.training.models import TrainingJob

pytestmark = pytest.mark.django_db


def earn(agent: AgentProfile, *rewards: float, job: TrainingJob | None = None) -> None:
    """In a training two rewards are earned in a step."""
    for place, reward in enumerate(rewards):
        where = Earned()
        if job is not None:
            position = 2 * agent.pk + place % 2
            where = Earned(job_id=job.pk, step=place // 2 + 1, position=position)
        profile_record_reward(profile_id=agent.pk, reward=reward, cost=reward / 10, earned=where)


def curves(client: APIClient, query: str = "") -> list[tuple[str, int, list[Any]]]:
    answer = client.get(f"/api/agents/curves?{query}")
    assert answer.status_code == 200, answer.content
    return [(row["agent"]["role_key"], row["rewarded"], row["points"]) for row in answer.json()]


def test_of_the_live_database_the_first_in_the_order_asked_for(as_user: AsUser) -> None:
    one, two, _ = make_profiles(("one", "two", "unknown"))
    earn(one, 1.0, 0.0, 1.0, 0.0)
    earn(two, 1.0, 1.0)
    client = as_user("viewer")
    found = curves(client, "sort=-count")
    assert [(role, n, len(points)) for role, n, points in found] == [("one", 4, 4), ("two", 2, 2)]
    newest = found[0][2][-1]
    assert (newest["count"], newest["mean_reward"], newest["step"]) == (4, 0.5, None)
    low, high = newest["interval"]
    assert 0.1 < low < 0.5 < high < 0.9
    assert [role for role, _, _ in curves(client, "sort=-reward&most=1")] == ["two"]
    assert [role for role, _, _ in curves(client, "role=two")] == ["two"]
    assert [p["count"] for p in curves(client, "role=one&points=2")[0][2]] == [2, 4]


def test_of_a_training_what_its_own_rewards_come_to_step_by_step(as_user: AsUser) -> None:
    one, two = make_profiles(("one", "two"))
    job, other = (TrainingJob.objects.create(name="j", method="reso") for _ in range(2))
    earn(one, 0.0, 0.0, 0.0)  # before it, and of no account for it
    earn(one, 1.0, 0.0, 1.0, 1.0, 1.0, job=job)
    earn(two, 1.0, 0.0, job=job)
    earn(two, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, job=other)
    client = as_user("viewer")
    (first, n, points), (second, _, _) = curves(client, f"job={job.pk}")
    assert (first, n, second) == ("one", 5, "two")
    assert [(p["step"], p["count"], p["mean_reward"]) for p in points] == [
        (1, 2, 0.5),
        (2, 4, 0.75),
        (3, 5, 0.8),
    ]
    assert points[-1]["mean_cost"] == pytest.approx(0.08)
    thinned = curves(client, f"job={job.pk}&points=2")[0][2]
    assert [p["step"] for p in thinned] == [1, 3]
    assert [role for role, _, _ in curves(client, f"job={job.pk}&most=1")] == ["one"]
    assert [role for role, _, _ in curves(client, f"job={job.pk}&role=two")] == ["two"]


def test_what_cannot_be_drawn(as_user: AsUser) -> None:
    client = as_user("viewer")
    assert curves(client) == []
    for query, status in (
        (f"job={uuid4()}", 404),
        ("job=x", 400),
        ("most=21", 400),
        ("points=301", 400),
        ("points=1", 400),
    ):
        assert client.get(f"/api/agents/curves?{query}").status_code == status

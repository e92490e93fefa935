"""R(a), C(a) and n(a): no update is lost, and each leaves its row."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from apps.agents.history import profile_record_reward, reward_curve
from apps.agents.models import AgentProfile, AgentReward
from apps.agents.tests.profiles import make_profile
from apps.common.tests.at_once import at_once
from apps.runs.models import Run


def record(profile: AgentProfile, *rewards: float) -> None:
    for reward in rewards:
        assert profile_record_reward(profile_id=profile.pk, reward=reward, cost=10 * reward)


@pytest.mark.django_db
def test_rewards_are_running_means_and_each_is_kept_with_its_run() -> None:
    profile = make_profile()
    run = Run.objects.create(method="direct", endpoint_key="e", endpoint_spec={}, query="?")
    record(profile, 1.0, 0.0)
    with CaptureQueriesContext(connection) as asked:
        assert profile_record_reward(profile_id=profile.pk, reward=1.0, cost=30.0, run_id=run.pk)
    assert len(asked) == 1
    profile.refresh_from_db()
    assert profile.count == 3
    assert profile.reward == pytest.approx(2 / 3)
    newest, second, first = profile.rewards.all()
    assert (first.count, first.mean_reward, first.mean_cost, first.run_id) == (1, 1.0, 10.0, None)
    assert (second.count, second.reward, second.mean_reward) == (2, 0.0, 0.5)
    assert (newest.count, newest.reward, newest.cost, newest.run_id) == (3, 1.0, 30.0, run.pk)
    assert (newest.mean_reward, newest.mean_cost) == (profile.reward, profile.cost)
    assert first.at < second.at < newest.at
    run.delete()
    newest.refresh_from_db()
    assert newest.run_id is None


@pytest.mark.django_db
def test_nobody_is_rewarded_for_an_agent_that_is_not_there() -> None:
    assert not profile_record_reward(profile_id=1, reward=1.0, cost=0.0)
    assert not AgentReward.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_none_loses_an_update_or_its_row() -> None:
    profile = make_profile()
    at_once(lambda _: record(profile, *[1.0] * 25), 8)
    profile.refresh_from_db()
    rows = list(profile.rewards.order_by("count"))
    assert profile.count == 200
    assert profile.reward == pytest.approx(1.0)
    assert [row.count for row in rows] == list(range(1, 201))
    assert rows == sorted(rows, key=lambda row: row.at)


@pytest.mark.django_db
def test_a_curve_has_few_points_evenly_spread_and_the_newest() -> None:
    profile = make_profile()
    assert reward_curve(profile.pk) == []
    record(profile, *[1.0] * 10)
    assert [row.count for row in reward_curve(profile.pk)] == list(range(1, 11))
    assert [row.count for row in reward_curve(profile.pk, points=4)] == [1, 4, 7, 10]
    profile.rewards.filter(count__lt=8).delete()  # as where n was there before the history
    assert [row.count for row in reward_curve(profile.pk, points=4)] == [8, 9, 10]


@pytest.mark.django_db
def test_the_history_comes_in_pages_the_newest_first(as_user: Callable[[str], APIClient]) -> None:
    profile = make_profile()
    record(profile, 1.0, 0.0, 1.0)
    client = as_user("viewer")
    page = client.get(f"/api/agents/{profile.pk}/history?page_size=2").json()
    assert [row["count"] for row in page["results"]] == [3, 2]
    [row] = client.get(page["next"]).json()["results"]
    assert row.pop("at")
    assert row == {
        "count": 1,
        "run": None,
        "reward": 1.0,
        "cost": 10.0,
        "mean_reward": 1.0,
        "mean_cost": 10.0,
    }
    curve = f"/api/agents/{profile.pk}/history/curve"
    assert [row["count"] for row in client.get(f"{curve}?points=2").json()] == [1, 3]
    assert client.get(f"{curve}?points=1001").status_code == 400
    assert client.get(f"/api/agents/{profile.pk + 1}/history").status_code == 404

"""Agent profiles: made once, read by viewers, and no update is ever lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from apps.agents import services
from apps.agents.models import AgentProfile
from apps.common.tests.at_once import at_once
from apps.llms.models import Endpoint
from apps.roles.services import pool_create, role_create


def make_profile() -> AgentProfile:
    endpoint = Endpoint.objects.create(
        key="e", name="E", base_url="https://x.example/v1", model="m"
    )
    pool = pool_create(values={"key": "p", "name": "P"})
    values = {"key": "r", "name": "R", "family": "code", "description": "d", "prompt": "p"}
    role_create(pool=pool, values=values)
    assert services.profiles_ensure(endpoint_key="e", role_keys=["r", "gone"], pool_key="p") == 1
    return AgentProfile.objects.get(endpoint=endpoint)


@pytest.mark.django_db
def test_profiles_are_made_once() -> None:
    make_profile()
    assert services.profiles_ensure(endpoint_key="e", role_keys=["r"], pool_key="p") == 0
    assert services.profiles_ensure(endpoint_key="none", role_keys=["r"], pool_key="p") == 0


@pytest.mark.django_db
def test_rewards_are_running_means() -> None:
    profile = make_profile()
    for reward, cost in [(1.0, 10.0), (0.0, 20.0), (1.0, 30.0)]:
        assert services.profile_record_reward(profile_id=profile.pk, reward=reward, cost=cost)
    profile.refresh_from_db()
    assert profile.count == 3
    assert profile.reward == pytest.approx(2 / 3)
    assert profile.cost == pytest.approx(20.0)


@pytest.mark.django_db(transaction=True)
def test_concurrent_updates_are_all_counted() -> None:
    profile = make_profile()

    def record(_: int) -> None:
        for _ in range(25):
            services.profile_record_reward(profile_id=profile.pk, reward=1.0, cost=2.0)

    at_once(record, 8)
    profile.refresh_from_db()
    assert profile.count == 200
    assert profile.reward == pytest.approx(1.0)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("who", "status"),
    [("anonymous", 401), ("outsider", 403), ("viewer", 200), ("operator", 200), ("curator", 200)],
)
def test_every_member_may_read(as_user: Callable[[str], APIClient], who: str, status: int) -> None:
    profile = make_profile()
    client = as_user(who)
    for path in ("", "/statistics", f"/{profile.pk}"):
        assert client.get(f"/api/agents{path}").status_code == status

"""The task that embeds roles, with the real model: vectors are made once and agents follow."""

import numpy as np
import pytest
from celery import current_app

from apps.agents.history import profile_record_reward
from apps.agents.services import profiles_ensure
from apps.agents.vectors import vectors_of
from apps.llms.models import Endpoint
from apps.roles.models import Role, RolePool
from apps.roles.services import pool_create, role_create, role_update
from workers.tasks.embeddings import pool_embed

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool() -> RolePool:
    pool = pool_create(values={"key": "p", "name": "P"})
    for key, about in (("cook", "Cooks soup."), ("lawyer", "Knows the law.")):
        values = {"key": key, "name": key, "family": "law", "description": about, "prompt": "p"}
        role_create(pool=pool, values=values)
    return pool


def vectors() -> dict[str, list[float]]:
    return {role.key: list(role.embedding) for role in Role.objects.all()}


def test_each_role_is_embedded_once(pool: RolePool) -> None:
    assert pool_embed(pool.pk) == 2
    found = vectors()
    assert np.linalg.norm(found["cook"]) == pytest.approx(1, abs=1e-3)
    assert found["cook"] != found["lawyer"]
    assert pool_embed(pool.pk) == 0
    assert vectors() == found


def test_a_role_that_changes_is_embedded_anew_and_its_agents_follow(pool: RolePool) -> None:
    endpoint = Endpoint.objects.create(
        key="e", name="E", base_url="https://x.example/v1", model="m"
    )
    profiles_ensure(pool_key="p", agents=[("e", "cook")])
    agent = endpoint.agents.get()
    assert agent.embedding is None
    profile_record_reward(profile_id=agent.pk, reward=1.0, cost=2.0)
    pool_embed(pool.pk)
    agent.refresh_from_db()
    before = vectors()["cook"]
    assert agent.embedding is not None
    assert list(agent.embedding) == before
    changes = {"description": "Repairs engines.", "tools": ["calculator"]}
    role_update(role=pool.roles.get(key="cook"), values=changes)
    assert pool_embed(pool.pk) == 1
    agent.refresh_from_db()
    assert agent.embedding is not None
    assert list(agent.embedding) == vectors()["cook"] != before
    assert (agent.tools, agent.count, agent.reward) == (["calculator"], 1, 1.0)


def test_what_a_web_process_asks_for_is_embedded_by_a_worker(
    pool: RolePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at_once(task: str, args: tuple[list[str]], **options: object) -> None:
        current_app.tasks[task](*args)

    monkeypatch.setattr(current_app, "send_task", at_once)
    pool_embed(pool.pk)
    found = vectors_of(["Cooks soup.", pool.roles.get(key="cook").spec().profile()])
    assert found.dtype == np.float32
    assert found[1].tolist() == pytest.approx(vectors()["cook"], abs=1e-6)

"""The agent database under many processes: no reward is lost, and the totals are exact."""

from __future__ import annotations

import os
import subprocess
from uuid import uuid4

import psycopg
import pytest

from tests.processes.children import ROOT, python
from tests.processes.database import own_database

pytestmark = pytest.mark.processes

PROCESSES, UPDATES = 16, 1_000

EARN = f"""
import multiprocessing
import django; django.setup()
from django.db import connection
from apps.agents.history import profile_record_reward
from apps.agents.tests.profiles import make_profiles

def earn(process, agents, begin):
    begin.wait()
    for update in range({UPDATES}):
        reward = float((process + update) % 4 == 0)
        assert profile_record_reward(profile_id=agents[update % 2], reward=reward, cost=0.25)

agents = [agent.pk for agent in make_profiles(("one", "two"))]
connection.close()
connection.close_pool()  # its threads would be in no child
fork = multiprocessing.get_context("fork")
begin = fork.Barrier({PROCESSES})
children = [fork.Process(target=earn, args=(n, agents, begin)) for n in range({PROCESSES})]
for child in children:
    child.start()
for child in children:
    child.join()
assert [child.exitcode for child in children] == [0] * {PROCESSES}
"""


def test_of_16_processes_with_1000_rewards_each_none_is_lost() -> None:
    """Of each agent: 8,000 rewards, of which 4 processes in 16 earn 1 at every second turn."""
    with own_database("agents") as url:
        env = {
            **os.environ,
            "DATABASE_URL": url,
            "SECRET_KEY": uuid4().hex,
            "DJANGO_SETTINGS_MODULE": "studio.settings",
            "DATABASE_POOL_MIN": "0",
        }
        done = subprocess.run(
            python("-c", EARN), cwd=ROOT, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        with psycopg.connect(url) as database:
            rows = database.execute(
                "SELECT count, reward * count, cost, (SELECT count(*) FROM agents_agentreward r"
                " WHERE r.agent_id = a.id AND r.count BETWEEN 1 AND a.count)"
                " FROM agents_agentprofile a ORDER BY id"
            ).fetchall()
    earned = [
        sum(
            (process + update) % 4 == 0
            for process in range(PROCESSES)
            for update in range(agent, UPDATES, 2)
        )
        for agent in range(2)
    ]
    each = PROCESSES * UPDATES // 2
    assert [(n, kept, cost) for n, _, cost, kept in rows] == [(each, each, 0.25)] * 2
    assert [total for _, total, _, _ in rows] == pytest.approx(earned)

"""What agents did in runs: figures by hand, over runs that are stored here."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from apps.agents.models import AgentProfile
from apps.agents.tests.profiles import make_profiles
from apps.roles.models import RolePool
from apps.roles.publishing import pool_publish
from apps.roles.usage import Figures
from apps.runs.figures.agents import agent_usage, agents_figures
from apps.runs.tests.traces import played, take_turn
from workers.core.intervals import wilson

pytestmark = pytest.mark.django_db


@pytest.fixture
def agents() -> list[AgentProfile]:
    """Of the roles `a` and `b`."""
    found = make_profiles("ab")
    pool_publish(pool=RolePool.objects.get(key="p"), by=None)
    return found


def store(roles: str, *, correct: bool | None = None, days_ago: int = 0, **values: Any) -> None:
    run = played(RolePool.objects.get(key="p"), "", correct=correct, days_ago=days_ago)
    for key in roles:
        take_turn(run, key, **values)


def test_runs_are_counted_once_turns_each_and_other_endpoints_are_other_agents(
    agents: list[AgentProfile],
) -> None:
    store("aab", correct=True)
    store("a", correct=False, outcome="refused", seconds=5.0, cost=None)
    store("a", outcome="failed", prompt_tokens=None, completion_tokens=None)
    store("a", correct=True, endpoint_key="other")
    first, second = agents
    found = agents_figures([first.pk, second.pk], days=30)
    a = found[first.pk]
    assert (a.runs, a.agents, a.refused, a.failed) == (3, 4, 1, 1)
    assert (a.judged, a.correct, a.interval) == (2, 1, wilson(1, 2))
    assert (a.tokens, a.cost, a.seconds) == (15.0, 0.5, 2.75)
    assert (found[second.pk].runs, found[second.pk].accuracy) == (1, 1.0)
    assert agent_usage(first.pk, days=30).total == a


def test_over_time_has_every_day_or_week_of_the_span(agents: list[AgentProfile]) -> None:
    store("a", correct=True)
    store("a", days_ago=3)
    store("a", days_ago=31)
    [agent, _] = agents
    month = agent_usage(agent.pk, days=30)
    today = timezone.now().date()
    assert (month.step, month.total.runs, len(month.over_time)) == ("day", 2, 31)
    used = {period.start: period.figures.runs for period in month.over_time if period.figures.runs}
    assert used == {today: 1, today - timedelta(days=3): 1}
    year = agent_usage(agent.pk, days=365)
    assert (year.step, year.total.runs) == ("week", 3)
    assert {period.start.weekday() for period in year.over_time} == {0}
    assert sum(period.figures.runs for period in year.over_time) == 3
    assert 53 <= len(year.over_time) <= 54


def test_what_nobody_used_has_zeros_and_each_answer_takes_one_statement(
    agents: list[AgentProfile],
) -> None:
    ids = [agent.pk for agent in agents]
    with CaptureQueriesContext(connection) as asked:
        assert agents_figures(ids, days=30) == {}
        assert agent_usage(ids[0], days=30).total == Figures()
    assert len(asked) == 2


def test_the_api_tells_it(as_user: Callable[[str], APIClient], agents: list[AgentProfile]) -> None:
    store("ab", correct=True)
    client = as_user("viewer")
    rows = client.get("/api/agents?days=7").json()["results"]
    assert [row["usage"]["runs"] for row in rows] == [1, 1]
    path = f"/api/agents/{agents[0].pk}/usage"
    body = client.get(f"{path}?days=7").json()
    assert (body["days"], body["step"], len(body["over_time"])) == (7, "day", 8)
    assert body["over_time"][-1]["figures"] == body["total"] == rows[0]["usage"]
    total = body["total"]
    assert total.pop("interval") == pytest.approx([0.2065, 1.0], abs=1e-4)
    assert total == {
        **{"runs": 1, "agents": 1, "refused": 0, "failed": 0, "judged": 1, "correct": 1},
        **{"refusal_share": 0.0, "accuracy": 1.0, "tokens": 15.0, "cost": 0.5, "seconds": 2.0},
    }
    for days in ("0", "x", "99999"):
        assert client.get(f"{path}?days={days}").status_code == 400
        assert client.get(f"/api/agents?days={days}").status_code == 400
    assert len(client.get("/api/runs?role=a").json()["results"]) == 1
    assert client.get("/api/runs?role=other").json()["results"] == []

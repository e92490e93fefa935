"""How the roles of a pool did: figures by hand, over runs that are stored here."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.tests.cast import AsUser
from apps.roles import services
from apps.roles.models import RolePool
from apps.roles.publishing import pool_publish
from apps.runs.figures.pools import pool_usage
from apps.runs.tests.traces import played as store
from apps.runs.tests.traces import take_turn
from workers.core.intervals import wilson

pytestmark = pytest.mark.django_db


def test_runs_are_counted_once_and_agents_each(published: RolePool) -> None:
    store(published, ["solver", "solver", "checker"], correct=True)
    store(published, ["solver"], correct=False)
    store(published, ["checker"])
    used = pool_usage(published)
    solver, checker, writer = (used.of(key) for key in ("solver", "checker", "writer"))
    assert used.runs == 3
    assert (solver.runs, solver.agents, solver.judged, solver.correct) == (2, 3, 2, 1)
    assert (solver.accuracy, solver.interval) == (0.5, wilson(1, 2))
    assert (checker.runs, checker.judged, checker.accuracy) == (2, 1, 1.0)
    unknown = (writer.accuracy, writer.interval, writer.refusal_share)
    assert (writer.runs, *unknown) == (0, None, None, None)


def test_what_is_unknown_of_an_agent_is_left_out_of_the_means(published: RolePool) -> None:
    run = store(published, ["solver"])
    unknown = {"prompt_tokens": None, "completion_tokens": None}
    take_turn(run, "solver", outcome="refused", cost=0, **unknown)
    take_turn(run, "checker", prompt_tokens=None, cost=None)
    solver, checker = (pool_usage(published).of(key) for key in ("solver", "checker"))
    assert (solver.tokens, solver.cost, solver.refusal_share) == (15.0, 0.25, 0.5)
    assert (checker.tokens, checker.cost) == (None, None)


def test_only_ended_runs_of_this_pool_count_and_all_its_versions_do(published: RolePool) -> None:
    other = services.pool_clone(pool=published, key="other", name="Other")
    pool_publish(pool=other, by=None)
    store(other, ["solver"])
    store(published, ["solver"], status="cancelled")
    store(published, ["solver"], status="running", finished_at=None)
    store(published, ["solver"], status="failed", failure={"code": "x"}, correct=False)
    services.role_update(role=published.roles.get(key="solver"), values={"prompt": "New."})
    published.refresh_from_db()
    pool_publish(pool=published, by=None)
    store(published, ["solver"], correct=True)
    assert (pool_usage(published).runs, pool_usage(published).of("solver").judged) == (2, 2)


def test_the_last_days_are_those_of_the_beginning_of_runs(published: RolePool) -> None:
    store(published, ["solver"], days_ago=31)
    store(published, ["checker"], days_ago=29)
    recent = pool_usage(published, days=30)
    assert ([role.key for role in recent.roles], recent.runs) == (["checker"], 1)
    assert pool_usage(published).runs == 2


def test_a_pool_that_nobody_used_has_no_figures(draft: RolePool) -> None:
    used = pool_usage(draft)
    assert (used.runs, used.roles) == (0, ())


def test_it_takes_one_statement_and_a_list_of_roles_one_per_pool_a_minute(
    as_user: AsUser, published: RolePool
) -> None:
    def statements() -> int:
        client = as_user("curator")
        with CaptureQueriesContext(connection) as asked:
            assert client.get("/admin/roles/role/").status_code == 200
        return sum("runs_runagent" in query["sql"] for query in asked.captured_queries)

    store(published, ["solver"], correct=True)
    with CaptureQueriesContext(connection) as asked:
        pool_usage(published)
    assert len(asked) == 1
    assert statements() == 1
    assert statements() == 0
    services.pool_clone(pool=published, key="other", name="Other")
    assert statements() == 1


def test_saving_and_acting_read_no_figures(as_user: AsUser, published: RolePool) -> None:
    client, role = as_user("curator"), published.roles.get(key="solver")
    acts = [
        ("/admin/roles/role/", {"action": "disable", "_selected_action": role.pk}),
        (f"/admin/roles/rolepool/{published.pk}/change/", {"name": "Smaller"}),
    ]
    with CaptureQueriesContext(connection) as asked:
        for path, values in acts:
            assert client.post(path, values, format="multipart").status_code == 302
    assert not [query for query in asked.captured_queries if "runs_runagent" in query["sql"]]


def test_the_api_tells_it(as_user: AsUser, published: RolePool) -> None:
    store(published, ["solver"], correct=True)
    store(published, ["solver"], days_ago=31)
    body = as_user("viewer").get("/api/pools/small/usage").json()
    assert (body["days"], body["runs"]) == (30, 1)
    interval = body["roles"][0].pop("interval")
    assert interval == pytest.approx([0.2065, 1.0], abs=1e-4)
    assert body["roles"] == [
        {
            **{"key": "solver", "runs": 1, "agents": 1, "judged": 1, "correct": 1},
            **{"refusal_share": 0.0, "accuracy": 1.0, "tokens": 15.0, "cost": 0.5},
        }
    ]


def test_the_admin_shows_it(as_user: AsUser, published: RolePool) -> None:
    client = as_user("curator")
    store(published, ["solver"], correct=True)
    store(published, ["solver"], days_ago=40)
    page = f"/admin/roles/rolepool/{published.pk}/change/"
    recent = client.get(page).content.decode()
    assert "1 finished run took this pool" in recent
    assert "1.00 (0.21–1.00) of 1" in recent
    assert "2 finished runs" in client.get(f"{page}?usage=all").content.decode()
    assert "1.00 (0.21–1.00) of 1" in client.get("/admin/roles/role/").content.decode()
    assert client.get("/api/pools/small/usage?days=0").status_code == 400
    assert client.get("/api/pools/small/usage?days=41").json()["runs"] == 2

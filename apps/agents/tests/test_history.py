"""R(a), C(a) and n(a): no update is lost, and each leaves its row."""

from math import inf, nan

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pydantic import ValidationError

from apps.accounts.tests.cast import AsUser
from apps.agents.history import Earned, profile_record_reward, profiles_record_rewards, reward_curve
from apps.agents.models import AgentProfile, AgentReward
from apps.agents.tests.profiles import make_profile, make_profiles, record
from apps.common.tests.at_once import at_once
from apps.runs.models import Run
from apps.training.models import TrainingJob
from workers.core.events import AgentReward as Rewarded
from workers.core.events import AgentsRewarded

pytestmark = pytest.mark.django_db


def test_rewards_are_running_means_and_each_is_kept_with_its_run() -> None:
    profile = make_profile()
    run = Run.objects.create(method="direct", endpoint_key="e", endpoint_spec={}, query="?")
    record(profile, 1.0, 0.0)
    with CaptureQueriesContext(connection) as asked:
        where = Earned(run_id=run.pk)
        assert profile_record_reward(profile_id=profile.pk, reward=1.0, cost=30.0, earned=where)
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


@pytest.mark.parametrize(("reward", "cost"), [(nan, 0.0), (1.0, nan), (1.0, inf), (-inf, 0.0)])
def test_what_is_no_number_poisons_no_mean(reward: float, cost: float) -> None:
    profile = make_profile()
    with pytest.raises(ValueError, match="cannot be learned from"):
        profile_record_reward(profile_id=profile.pk, reward=reward, cost=cost)
    with pytest.raises(ValidationError):
        Rewarded(role_key="r", endpoint="e", reward=reward, cost=cost)
    profile.refresh_from_db()
    assert (profile.count, profile.reward, profile.rewards.count()) == (0, 0.0, 0)


def test_nobody_is_rewarded_for_an_agent_that_is_not_there() -> None:
    assert not profile_record_reward(profile_id=1, reward=1.0, cost=0.0)
    assert not AgentReward.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_none_loses_an_update_or_its_row() -> None:
    profile = make_profile()
    at_once(lambda number: record(profile, *[float(number % 4 == 0)] * 25), 16)
    profile.refresh_from_db()
    rows = list(profile.rewards.order_by("count"))
    assert profile.count == 400
    assert profile.reward * 400 == pytest.approx(100)
    assert [row.count for row in rows] == list(range(1, 401))
    assert rows == sorted(rows, key=lambda row: row.at)


def test_a_curve_has_few_points_evenly_spread_and_the_newest() -> None:
    profile = make_profile()
    assert reward_curve(profile.pk) == []
    record(profile, *[1.0] * 10)
    assert [row.count for row in reward_curve(profile.pk)] == list(range(1, 11))
    assert [row.count for row in reward_curve(profile.pk, points=4)] == [1, 4, 7, 10]
    profile.rewards.filter(number__lt=8).delete()  # as where n was there before the history
    assert [row.count for row in reward_curve(profile.pk, points=4)] == [8, 9, 10]


def test_the_history_comes_in_pages_the_newest_first(as_user: AsUser) -> None:
    profile = make_profile()
    record(profile, 1.0, 0.0, 1.0)
    client = as_user("viewer")
    page = client.get(f"/api/agents/{profile.pk}/history?page_size=2").json()
    assert [row["count"] for row in page["results"]] == [3, 2]
    [row] = client.get(page["next"]).json()["results"]
    assert row.pop("at")
    assert row.pop("interval") == [pytest.approx(0.2065, abs=1e-4), 1.0]
    assert row == {
        "number": 1,
        "count": 1,
        "run": None,
        "job": None,
        "step": None,
        "restored_from": "",
        "restored_by": "",
        "reward": 1.0,
        "cost": 10.0,
        "mean_reward": 1.0,
        "mean_cost": 10.0,
    }
    curve = f"/api/agents/{profile.pk}/history/curve"
    assert [row["count"] for row in client.get(f"{curve}?points=2").json()] == [1, 3]
    assert client.get(f"{curve}?points=1001").status_code == 400
    assert client.get(f"/api/agents/{profile.pk + 1}/history").status_code == 404


def stepped(step: int, *roles: str) -> AgentsRewarded:
    return AgentsRewarded(
        step=step,
        rewards=tuple(Rewarded(role_key=r, endpoint="e", reward=1.0, cost=0.5) for r in roles),
    )


def test_what_a_training_s_step_earned_is_recorded_once_however_often_it_is_told() -> None:
    one, two = make_profiles(("one", "two"))
    job = TrainingJob.objects.create(name="j", method="reso")
    step = stepped(1, "one", "two", "one", "gone")
    assert profiles_record_rewards(pool_key="p", job_id=job.pk, event=step) == 3
    assert profiles_record_rewards(pool_key="p", job_id=job.pk, event=step) == 0
    assert profiles_record_rewards(pool_key="p", job_id=job.pk, event=stepped(2, "two")) == 1
    one.refresh_from_db()
    two.refresh_from_db()
    assert (one.count, two.count) == (2, 2)
    kept = AgentReward.objects.filter(job=job).order_by("step", "position")
    assert [(row.agent_id, row.step, row.position) for row in kept] == [
        (one.pk, 1, 0),
        (two.pk, 1, 1),
        (one.pk, 1, 2),
        (two.pk, 2, 0),
    ]


def test_agents_that_were_not_there_yet_are_made_by_what_they_earned() -> None:
    make_profiles(("one",))
    AgentProfile.objects.all().delete()
    job = TrainingJob.objects.create(name="j", method="reso")
    assert profiles_record_rewards(pool_key="p", job_id=job.pk, event=stepped(1, "one")) == 1
    assert AgentProfile.objects.get().count == 1


@pytest.mark.django_db(transaction=True)
def test_trainings_that_reward_the_same_agents_never_wait_for_each_other_in_a_circle() -> None:
    make_profiles(("one", "two"))
    jobs = [TrainingJob.objects.create(name="j", method="reso").pk for _ in range(4)]

    def earn(index: int) -> None:
        roles = ("one", "two") if index % 2 else ("two", "one")
        for step in range(1, 11):
            with transaction.atomic():
                event = stepped(step, *roles)
                profiles_record_rewards(pool_key="p", job_id=jobs[index], event=event)

    at_once(earn, 4)
    assert set(AgentProfile.objects.values_list("count", flat=True)) == {40}

"""How likely each role was, early, in the middle and late, over HTTP."""

from collections.abc import Iterable
from typing import Any

import pytest

from apps.accounts.tests.cast import AsUser
from apps.training.lifecycle import training_claim
from apps.training.models import Metric, TrainingJob
from apps.training.records import metric_record
from apps.training.selections import Period, periods_of
from apps.training.tests.conftest import MakeJob
from apps.training.tests.support import address
from workers.core.events import Selection, TrainingMetric
from workers.core.llm.spending import Spent

pytestmark = pytest.mark.django_db


def cell(count: int = 4, place: str = "first", layer: int = 1, **chances: float) -> dict[str, Any]:
    return {"place": place, "layer": layer, "count": count, "probabilities": chances}


def told(job: TrainingJob, steps: Iterable[list[dict[str, Any]]]) -> None:
    Metric.objects.bulk_create(
        Metric(job=job, step=step, values={}, selections=cells)
        for step, cells in enumerate(steps, start=1)
    )


def of_evomas(make_job: MakeJob, **config: Any) -> TrainingJob:
    """Whatever it was made as: a training of EvoMAS with these settings."""
    job = make_job()
    TrainingJob.objects.filter(id=job.id).update(method="evomas", config=config)
    return job


class TestPeriods:
    @pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 50, 10_000])
    def test_each_step_is_in_the_period_that_the_database_says(self, steps: int) -> None:
        periods = periods_of(steps)
        for step in range(1, steps + 1):
            period = periods[(step - 1) * 3 // steps]
            assert period.first_step <= step <= period.last_step
        assert sum(each.last_step - each.first_step + 1 for each in periods) == steps

    def test_of_no_steps_there_are_none(self) -> None:
        assert periods_of(0) == ()
        assert periods_of(2) == (Period(1, 1), Period(2, 2))


def test_means_over_thirds_are_weighted_by_how_often_roles_were_chosen(
    as_user: AsUser, make_job: MakeJob
) -> None:
    job = of_evomas(make_job, agents="4")
    steps = [[cell(3, io=0.2, ensemble=0.8)], [cell(1, io=0.6, ensemble=0.4)], [], [], []]
    last = [cell(2, io=0.5, ensemble=0.5), cell(5, "last", 2, io=1.0, ensemble=0.0)]
    told(job, [*steps, last])
    found = as_user("viewer").get(address(job, "/selections")).json()
    assert found["periods"] == [
        {"first_step": 1, "last_step": 2},
        {"first_step": 3, "last_step": 4},
        {"first_step": 5, "last_step": 6},
    ]
    assert [role["key"] for role in found["roles"]] == [
        *("io", "web_search", "early_exit", "ensemble"),
    ]
    assert found["roles"][1] == {"key": "web_search", "name": "Web search", "family": "data"}
    early, *late = found["cells"]
    assert early.pop("probabilities") == pytest.approx({"io": 0.3, "ensemble": 0.7})
    assert early == {"period": 0, "place": "first", "layer": 1, "count": 4}
    assert late == [
        {"period": 2, **cell(2, io=0.5, ensemble=0.5)},
        {"period": 2, **cell(5, "last", 2, io=1.0, ensemble=0.0)},
    ]


def test_seven_agents_are_listed_in_the_order_of_the_pool(
    as_user: AsUser, make_job: MakeJob
) -> None:
    found = as_user("viewer").get(address(of_evomas(make_job), "/selections")).json()
    assert len(found["roles"]) == 7
    assert (found["periods"], found["cells"]) == ([], [])


def test_other_methods_and_older_trainings_tell_nothing(
    as_user: AsUser, make_job: MakeJob, curve: TrainingJob
) -> None:
    client = as_user("viewer")
    assert client.get(address(curve, "/selections")).json()["cells"] == []
    assert client.get(address(curve, "/selections")).json()["roles"] == []
    odd = of_evomas(make_job, layers=-1)
    assert client.get(address(odd, "/selections")).json()["roles"] == []


def test_what_a_step_reports_is_stored_once(make_job: MakeJob) -> None:
    job = training_claim(job_id=make_job().id, worker="tests:1:aa")
    assert job is not None
    told = Selection(place="last", layer=2, count=3, probabilities={"io": 0.25})
    for count in (3, 9):
        event = TrainingMetric(
            step=1, values={"reward": 1}, selections=(told.model_copy(update={"count": count}),)
        )
        metric_record(job_id=job.id, attempt=job.attempt, event=event, spent=Spent.zero())
    [row] = Metric.objects.filter(job=job)
    assert row.selections == [cell(3, "last", 2, io=0.25)]


def test_the_page_learns_which_methods_choose_roles(as_user: AsUser) -> None:
    methods = as_user("viewer").get("/api/training/methods").json()
    assert [each["method"] for each in methods if each["selects_roles"]] == ["evomas"]


def test_ten_thousand_steps_are_one_statement_for_the_sums(
    as_user: AsUser, make_job: MakeJob, django_assert_max_num_queries: Any
) -> None:
    job = of_evomas(make_job, agents="4")
    places = [cell(4, place, layer, io=0.5) for place in ("first", "last") for layer in (1, 2)]
    told(job, [places] * 10_000)
    client = as_user("viewer")
    with django_assert_max_num_queries(12):
        found = client.get(address(job, "/selections")).json()
    assert len(found["cells"]) == 12
    assert {each["count"] for each in found["cells"]} == {4 * 3_333, 4 * 3_334}

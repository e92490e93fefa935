"""Runs of designs: what is drawn runs, as it was then, and what cannot run is told at once."""

from typing import Any
from uuid import uuid4

import pytest

from apps.accounts.models import User
from apps.agents.tests.profiles import make_endpoint
from apps.common.errors import ApplicationError
from apps.designs.models import Design
from apps.designs.services import design_create, design_save, version_create
from apps.designs.tests.conftest import draft
from apps.llms.models import Endpoint
from apps.runs.models import Run
from apps.runs.requests import RunRequest
from apps.runs.selectors import run_rows, run_spec
from apps.runs.services import run_create, run_retry

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(cast: dict[str, User], endpoint: Endpoint, sent: list[str]) -> Design:
    return design_create(user=cast["operator"], name="Mine", draft=draft("ab", "ab"))


def ask(cast: dict[str, User], **values: Any) -> Run:
    request = RunRequest(**{"query": "1 + 1?", "method": "design", **values})
    return run_create(user=cast["operator"], request=request).row


def refused(cast: dict[str, User], **values: Any) -> list[tuple[str, str]]:
    with pytest.raises(ApplicationError) as caught:
        ask(cast, **values)
    return [(field.field, field.code) for field in caught.value.fields]


def test_the_draft_runs_as_it_is_now(cast: dict[str, User], made: Design) -> None:
    run = ask(cast, design=made.id)
    change = draft("abc", "ab bc")
    design_save(user=cast["operator"], design_id=made.id, revision=1, draft=change)
    spec = run_spec(Run.objects.get(id=run.id))
    assert [node["id"] for node in spec.method_config["graph"]["nodes"]] == ["a", "b"]
    assert (run.design_id, run.design_version) == (made.id, None)
    again = run_retry(user=cast["operator"], run=end(run)).row
    assert again.method_config == run.method_config
    assert again.design_id == made.id


def test_a_version_runs_as_it_was_named(cast: dict[str, User], made: Design) -> None:
    version_create(user=cast["operator"], design_id=made.id, revision=1, name="two")
    change = draft("abc", "ab bc", answer_from="b")
    design_save(user=cast["operator"], design_id=made.id, revision=1, draft=change)
    old = ask(cast, design=made.id, design_version=1)
    new = ask(cast, design=made.id)
    assert len(old.method_config["graph"]["nodes"]) == 2
    assert (old.method_config["answer_from"], new.method_config["answer_from"]) == (None, "b")
    assert old.design_version == 1


def test_endpoints_that_agents_name_are_kept_with_the_run(
    cast: dict[str, User], made: Design, endpoint: Endpoint
) -> None:
    large = make_endpoint("large")
    change = draft("ab", "ab")
    change["agents"][1]["endpoint"] = "large"
    design_save(user=cast["operator"], design_id=made.id, revision=1, draft=change)
    run = ask(cast, design=made.id)
    assert [spec.key for spec in run_spec(run).endpoints] == ["large"]
    large.enabled = False
    large.save()
    with pytest.raises(ApplicationError, match="was deleted or switched off"):
        run_retry(user=cast["operator"], run=end(run))
    assert refused(cast, design=made.id) == [("design", "unknown_endpoint")]


def test_what_names_no_design(cast: dict[str, User], made: Design) -> None:
    assert refused(cast) == refused(cast, design_version=1) == [("design", "no_design")]
    assert refused(cast, design=uuid4()) == [("design", "unknown_design")]
    assert refused(cast, method="direct", design_version=1) == [("design_version", "no_design")]


def test_what_cannot_run_is_told_at_once(cast: dict[str, User], made: Design) -> None:
    assert refused(cast, design=made.id, method="direct") == [("design", "other_method")]
    [unknown] = refused(cast, design=made.id, design_version=4)
    assert unknown == ("design_version", "unknown_version")
    broken = draft("ab", "ab ba")
    broken["agents"][0]["role"]["prompt"] = ""
    design_save(user=cast["operator"], design_id=made.id, revision=1, draft=broken)
    codes = ("no_prompt", "cycle", "cycle")
    assert refused(cast, design=made.id) == [("design", code) for code in codes]


def test_a_list_leaves_out_the_graph(cast: dict[str, User], made: Design) -> None:
    ask(cast, design=made.id)
    [row] = run_rows()
    unset: dict[str, Any] = {
        "answer_from": None,
        "summary": False,
        "summary_temperature": 0.0,
        "vote": [],
    }
    assert row["options"] == unset
    assert row["design__name"] == "Mine"


def test_a_deleted_design_leaves_its_runs(cast: dict[str, User], made: Design) -> None:
    run = ask(cast, design=made.id)
    made.delete()
    run.refresh_from_db()
    assert (run.design_id, len(run.method_config["graph"]["nodes"])) == (None, 2)


def end(run: Run) -> Run:
    Run.objects.filter(id=run.id).update(status=Run.Status.CANCELLED, finished_at=run.created_at)
    return Run.objects.select_related("endpoint").get(id=run.id)

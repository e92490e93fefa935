"""Problems of a draft that nobody has saved, told to who may draw."""

from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from apps.accounts.tests.cast import AsUser
from apps.designs.models import Design
from apps.designs.tests.conftest import agent, draft
from apps.llms.models import Endpoint

pytestmark = pytest.mark.django_db

CHECK = "/api/designs/check"


def test_it_tells_what_a_save_would_tell_and_stores_nothing(
    as_user: AsUser, endpoint: Endpoint
) -> None:
    wrong = draft("abcd", "ab ba bc cd")
    wrong["agents"][2]["role"] |= {"prompt": "", "tools": ["shell"]}
    wrong["agents"][3]["endpoint"] = "gone"
    client = as_user("operator")
    told = client.post(CHECK, {"draft": wrong}).json()["problems"]
    assert not Design.objects.exists()
    assert {(problem["code"], problem["agent_id"]) for problem in told} == {
        ("cycle", "a"),
        ("cycle", "b"),
        ("no_prompt", "c"),
        ("unknown_tool", "c"),
        ("unknown_endpoint", "d"),
    }
    assert told == client.post("/api/designs", {"draft": wrong}).json()["problems"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "draft"),
        ({"draft": {"format": 9}}, "draft.format"),
        ({"draft": {"agents": [{**agent("a"), "x": "left"}]}}, "draft.agents.0.x"),
    ],
)
def test_what_is_no_draft(as_user: AsUser, body: dict[str, object], field: str) -> None:
    answer = as_user("operator").post(CHECK, body)
    assert answer.status_code == 400
    assert [each["field"] for each in answer.json()["error"]["fields"]] == [field]


def test_of_a_design_that_is_not_there(as_user: AsUser) -> None:
    body = {"draft": draft("a"), "design": str(uuid4())}
    assert as_user("operator").post(CHECK, body).status_code == 404


def test_in_a_few_queries_whatever_its_size(
    as_user: AsUser, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = as_user("operator")
    with django_assert_max_num_queries(4):
        client.post(CHECK, {"draft": draft("abcdefghijklmnop")})

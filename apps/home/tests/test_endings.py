"""What has ended or waits, for whom, and until when they have seen it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.evaluations.models import Evaluation
from apps.home.endings import NAME_CHARS, SHOWN
from apps.runs.control import PAUSED
from apps.runs.models import Run
from apps.runs.tests.traces import tell

pytestmark = pytest.mark.django_db

NOW = timezone.now()


@pytest.fixture
def ended(cast: dict[str, User]) -> Callable[..., Evaluation]:
    """An evaluation of the operator that ended so many minutes ago; its owner last looked an hour
    ago."""
    User.objects.update(endings_seen_at=NOW - timedelta(hours=1))

    def make(minutes: float, *, status: str = "succeeded", **values: Any) -> Evaluation:
        at = NOW - timedelta(minutes=minutes)
        cause = {"code": "endpoint_away"} if status == "failed" else None
        given = {"name": f"{minutes}", "created_by": cast["operator"], "failure": cause, **values}
        return Evaluation.objects.create(status=status, finished_at=at, **given)

    return make


def told(client: APIClient) -> list[tuple[str, str, bool]]:
    answer = client.get("/api/me/endings")
    assert answer.status_code == 200
    return [(each["name"], each["status"], each["seen"]) for each in answer.json()]


def see(client: APIClient, until: datetime | str = NOW) -> int:
    body = {"until": until if isinstance(until, str) else until.isoformat()}
    code: int = client.post("/api/me/endings/seen", body, format="json").status_code
    return code


def test_the_newest_first_and_nobody_elses(
    as_user: AsUser, ended: Callable[..., Evaluation], cast: dict[str, User]
) -> None:
    ended(90)
    ended(5, status="failed")
    ended(30)
    ended(1, status="cancelled")  # who cancels knows
    ended(2, created_by=cast["curator"])
    ended(60 * 24 * 31)
    Evaluation.objects.create(name="under way", status="running", created_by=cast["operator"])
    assert told(as_user("operator")) == [
        ("5", "failed", False),
        ("30", "succeeded", False),
        ("90", "succeeded", True),
    ]


def test_what_was_seen_stays_seen_and_what_ends_meanwhile_does_not_count_as_it(
    as_user: AsUser, ended: Callable[..., Evaluation]
) -> None:
    shown = ended(30)
    client = as_user("operator")
    assert [seen for *_, seen in told(client)] == [False]
    ended(5)

    assert shown.finished_at is not None
    see(client, shown.finished_at)
    assert [seen for *_, seen in told(client)] == [False, True]
    see(client, NOW - timedelta(days=1))  # an old page cannot take it back
    assert [seen for *_, seen in told(client)] == [False, True]
    see(client, NOW + timedelta(days=999))  # and no clock ahead of ours hides what is to come
    late = ended(-24 * 60)
    assert told(client)[0] == (late.name, "succeeded", False)


def test_no_more_than_a_list(as_user: AsUser, ended: Callable[..., Evaluation]) -> None:
    for minutes in range(SHOWN + 3):
        ended(minutes)
    names = [name for name, *_ in told(as_user("operator"))]
    assert names == [str(minutes) for minutes in range(SHOWN)]


def test_what_is_no_time(as_user: AsUser) -> None:
    client = as_user("viewer")
    assert client.post("/api/me/endings/seen", {}, format="json").status_code == 400
    assert see(client, "soon") == 400


def test_a_run_that_waits_for_me(
    as_user: AsUser, ended: Callable[..., Evaluation], cast: dict[str, User]
) -> None:
    ended(30)

    def paused(
        minutes: float, query: str, *, status: str = "waiting", who: str = "operator"
    ) -> Run:
        given = {"method": "design", "endpoint_key": "e", "endpoint_spec": {}}
        run = Run.objects.create(created_by=cast[who], query=query, status=status, **given)
        for at, attempt in ((minutes + 5, 1), (minutes, 2)):
            tell(run, PAUSED, attempt=attempt, at=NOW - timedelta(minutes=at))
        return run

    late = paused(5, "Which of these?" + "." * 500)
    paused(50, "An older one")
    paused(1, "Gone on with", status="running")
    paused(1, "Of somebody else", who="curator")
    paused(60 * 24 * 31, "Forgotten")
    client = as_user("operator")
    assert told(client) == [
        (late.query[:NAME_CHARS], "waiting", False),
        ("30", "succeeded", False),
        ("An older one", "waiting", False),
    ]
    assert client.get("/api/me/endings").json()[0]["id"] == str(late.id)
    see(client, client.get("/api/me/endings").json()[0]["at"])
    assert [seen for *_, seen in told(client)] == [True, True, True]

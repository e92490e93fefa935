"""Who sees a picture of a page, as what, and until when."""

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from apps.accounts.tests.cast import AsUser, by_group
from apps.runs.models import Run, RunPicture
from apps.runs.tests.links import opened, share
from apps.runs.tests.traces import tell

pytestmark = pytest.mark.django_db

MakeRun = Callable[..., Run]
JPEG = b"\xff\xd8\xff\x00\xff\xd9"


def pictured(run: Run) -> UUID:
    picture = uuid4()
    RunPicture.objects.create(id=picture, run=run, jpeg=JPEG)
    tell(run, "tool_returned", picture=str(picture), sources=[])
    return picture


def check_is_safe(answer: Any) -> None:
    assert answer.content == JPEG
    assert answer["Content-Type"] == "image/jpeg"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert answer["Content-Disposition"].startswith("inline")


@pytest.mark.parametrize(("who", "status"), by_group("viewer"))
def test_all_that_read_the_trace_see_it(
    as_user: AsUser, stored: MakeRun, who: str, status: int
) -> None:
    run = stored()
    picture = pictured(run)
    # As a browser asks for what an `<img>` shows.
    answer = as_user(who).get(f"/api/runs/{run.id}/pictures/{picture}", HTTP_ACCEPT="image/webp")
    assert answer.status_code == status
    if status == 200:
        check_is_safe(answer)


def test_a_link_shows_it_to_strangers_until_it_is_revoked(as_user: AsUser, stored: MakeRun) -> None:
    run, other = stored(), stored()
    picture = pictured(run)
    link, elsewhere = (share(as_user("operator"), each).json() for each in (run, other))
    events = opened(f"{link['path']}/events").json()["results"]
    assert events[-1]["event"]["picture"] == str(picture)
    answer = opened(f"{link['path']}/pictures/{picture}")
    check_is_safe(answer)
    assert answer["Cache-Control"] == "private, no-store"
    assert opened(f"{elsewhere['path']}/pictures/{picture}").status_code == 404
    as_user("operator").delete(f"/api/runs/{run.id}/shares/{link['id']}")
    assert opened(f"{link['path']}/pictures/{picture}").status_code == 404


def test_it_belongs_to_its_run_and_goes_with_it(as_user: AsUser, stored: MakeRun) -> None:
    run, other = stored(), stored()
    picture = pictured(run)
    client = as_user("operator")
    assert client.get(f"/api/runs/{other.id}/pictures/{picture}").status_code == 404
    client.delete(f"/api/runs/{run.id}")
    assert client.get(f"/api/runs/{run.id}/pictures/{picture}").status_code == 404
    assert RunPicture.objects.count() == 0


def test_a_file_of_runs_has_them_where_they_are_asked_for(as_user: AsUser, stored: MakeRun) -> None:
    run = stored()
    expected = {str(pictured(run)): b64encode(JPEG).decode() for _ in range(2)}

    def line(query: str) -> Any:
        return json.loads(as_user("viewer").get(f"/api/runs/export?{query}").getvalue())

    assert line(f"runs={run.id}&pictures=true")["pictures"] == expected
    assert line("pictures=1")["pictures"] == expected
    assert "pictures" not in line(f"runs={run.id}")
    assert as_user("viewer").get("/api/runs/export?pictures=x").status_code == 400

"""Old runs go only where a setting says so, and never those that something rests on."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.evaluations.models import Evaluation
from apps.runs import retention
from apps.runs.models import Annotation, Run, RunEvent, RunPicture, Share
from apps.runs.tests.traces import tell
from workers.tasks.upkeep import runs_prune

pytestmark = pytest.mark.django_db

Stored = Callable[..., Run]


def aged(run: Run, days: float) -> Run:
    run.finished_at = timezone.now() - timedelta(days=days)
    run.save(update_fields=["finished_at"])
    return run


@pytest.fixture
def runs(stored: Stored, make_run: Stored, cast: dict[str, User]) -> dict[str, Run]:
    """One of each kind, all but the new one a hundred days old."""
    kinds = ("plain", "noted", "linked", "cell")
    found = {kind: aged(stored(), 100) for kind in kinds} | {"new": aged(stored(), 1)}
    found["queued"] = make_run()
    operator = cast["operator"]
    Annotation.objects.create(run=found["noted"], author=operator, label="keep")
    Share.objects.create(run=found["linked"], created_by=operator)
    evaluation = Evaluation.objects.create(name="of all", created_by=operator)
    Run.objects.filter(pk=found["cell"].pk).update(evaluation=evaluation)
    tell(found["plain"], "x")
    RunPicture.objects.create(id=uuid4(), run=found["plain"], jpeg=b"")
    return found


def test_only_old_runs_that_nothing_needs_are_spare(runs: dict[str, Run]) -> None:
    assert list(retention.runs_spare(90)) == [runs["plain"]]
    assert set(retention.runs_spare(0)) == {runs["plain"], runs["new"]}


def test_by_default_every_run_stays(runs: dict[str, Run]) -> None:
    assert runs_prune() == 0
    assert Run.objects.count() == len(runs)


def test_a_setting_takes_old_runs_with_their_traces(runs: dict[str, Run], settings: Any) -> None:
    settings.RUNS_KEEP_DAYS = 90
    assert runs_prune() == 1
    assert not Run.objects.filter(pk=runs["plain"].pk).exists()
    assert RunEvent.objects.filter(run=runs["plain"].pk).count() == 0
    assert RunPicture.objects.count() == 0
    assert Run.objects.count() == len(runs) - 1
    assert runs_prune() == 0


def test_many_go_in_turns_up_to_a_limit(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    old = [aged(stored(), 100 + number) for number in range(5)]
    assert retention.runs_prune(90, limit=3) == 3
    assert set(Run.objects.all()) == set(old[:2])  # the oldest go first
    assert retention.runs_prune(90) == 2


def told(*arguments: str) -> str:
    out = StringIO()
    call_command("retention", *arguments, stdout=out)
    return out.getvalue()


def test_a_preview_says_what_would_go_and_deletes_nothing(
    runs: dict[str, Run], settings: Any
) -> None:
    said = told("--preview")
    assert "Runs are kept for ever (RUNS_KEEP_DAYS=0)." in said
    assert "1 run ended more than 90 days ago and would be deleted." in said
    assert f"from {runs['plain'].finished_at:%Y-%m-%d} to" in said
    settings.RUNS_KEEP_DAYS = 365
    assert "Runs are kept 365 days" in told()
    assert "0 runs ended more than 365 days ago" in told()
    assert "2 runs ended more than 0 days" not in told("--days", "50")
    assert Run.objects.count() == len(runs)


def test_runs_are_deleted_at_once_only_when_an_age_is_said(runs: dict[str, Run]) -> None:
    with pytest.raises(CommandError, match="Give the age"):
        told("--now")
    for days in ("0", "-5", "36501", "99999999999"):
        with pytest.raises(CommandError, match="between 1 and 36,500"):
            told("--now", f"--days={days}")
    assert told("--now", "--days", "90").strip() == "Deleted: 1 run."
    assert Run.objects.count() == len(runs) - 1


def test_the_admin_shows_the_setting_and_what_would_go(
    runs: dict[str, Run], client: Client, cast: dict[str, User], settings: Any
) -> None:
    client.force_login(cast["admin"])
    page = " ".join(client.get("/admin/runs/run/").content.decode().split())
    assert "Every run is kept. 1 run ended more than 90 days ago." in page
    settings.RUNS_KEEP_DAYS = 30
    page = " ".join(client.get("/admin/runs/run/").content.decode().split())
    assert (
        "Runs are deleted 30 days after their end. 1 run will be deleted within the hour." in page
    )

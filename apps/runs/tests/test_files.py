"""Files that come with a question: how a run names them, who opens them, and who downloads them."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser, by_group
from apps.llms.models import Endpoint
from apps.roles.models import RolePool
from apps.roles.publishing import pool_publish
from apps.roles.services import pool_create, role_create
from apps.runs.models import Run
from apps.runs.selectors import run_spec
from apps.runs.services import run_cancel
from apps.runs.shares import share_create, share_token
from apps.runs.tests.conftest import role_values
from apps.tasks.models import Upload
from apps.tasks.uploads import upload_create
from workers.core.tools.attachments import attached_files, names_told

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("endpoint", "sent")]

MakeRun = Callable[..., Run]


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path / "files"


@pytest.fixture(autouse=True)
def readers(db: None) -> RolePool:
    """A pool with a role that opens files."""
    pool = pool_create(values={"key": "readers", "name": "Readers"})
    role_create(pool=pool, values={**role_values("reader"), "tools": ["read_file"]})
    pool_publish(pool=pool, by=None)
    return pool


@pytest.fixture
def attach(cast: dict[str, User]) -> Callable[..., str]:
    def make(name: str = "a.txt", data: bytes = b"42", user: str = "operator") -> str:
        return str(upload_create(user=cast[user], name=name, data=data).id)

    return make


def body(*ids: str, **values: Any) -> dict[str, Any]:
    readers = {"method": "fixed_graph", "pool": "readers"}
    return {"query": "What does it say?", **readers, "uploads": list(ids), **values}


def fields(response: Any) -> dict[str, str]:
    assert response.status_code == 400, response.json()
    return {error["field"]: error["code"] for error in response.json()["error"]["fields"]}


@pytest.mark.parametrize(("who", "status"), by_group("operator", done=201))
def test_who_may_ask_attaches_uploads(
    as_user: AsUser, attach: Callable[..., str], who: str, status: int
) -> None:
    owner = who if status == 201 else "operator"
    asked = as_user(who).post("/api/runs", body(attach(user=owner)))
    assert asked.status_code == status


def test_a_run_names_its_files_apart_and_agents_are_told(
    as_user: AsUser, attach: Callable[..., str], folder: Path
) -> None:
    ids = [attach(), attach(data=b"43"), attach("b.csv", b"x,y")]
    answer = as_user("operator").post(
        "/api/runs", body(*ids, files=[{"name": "a.txt", "text": "41"}])
    )
    assert answer.json()["files"] == [
        {"name": "a.txt", "size": 2},
        {"name": "a (2).txt", "size": 2},
        {"name": "a (3).txt", "size": 2},
        {"name": "b.csv", "size": 3},
    ]
    Upload.objects.all().delete()
    files = attached_files(run_spec(Run.objects.get()).task.metadata)
    assert [file.data(folder) for file in files.values()] == [b"41", b"42", b"43", b"x,y"]
    assert names_told(files).endswith("opens them): a.txt, a (2).txt, a (3).txt, b.csv")


def test_the_same_request_again_is_the_same_run(
    as_user: AsUser, attach: Callable[..., str]
) -> None:
    client, asked = as_user("operator"), body(attach())
    first = client.post("/api/runs", asked, headers={"Idempotency-Key": "k"})
    Upload.objects.all().delete()
    again = client.post("/api/runs", asked, headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])


def test_anothers_upload_cannot_be_named(as_user: AsUser, attach: Callable[..., str]) -> None:
    for who in ("curator", "admin"):
        refused = as_user(who).post("/api/runs", body(attach()))
        assert fields(refused) == {"uploads": "unknown_upload"}
    assert not Run.objects.exists()


def test_so_many_files_and_bytes_come_with_a_question(
    as_user: AsUser, attach: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, ids = as_user("operator"), [attach(), attach()]
    monkeypatch.setattr("apps.runs.attaching.FILES_MAX", 1)
    assert fields(client.post("/api/runs", body(*ids))) == {"uploads": "too_many_files"}
    monkeypatch.setattr("apps.runs.attaching.FILES_MAX", 2)
    monkeypatch.setattr("apps.runs.attaching.FILES_MAX_BYTES", 3)
    assert fields(client.post("/api/runs", body(*ids))) == {"uploads": "too_large"}
    assert fields(client.post("/api/runs", body(*ids * 11))) == {"uploads": "max_length"}


def test_a_team_that_cannot_open_files_says_so_before_the_run(
    as_user: AsUser, attach: Callable[..., str], endpoint: Endpoint
) -> None:
    client, upload = as_user("operator"), attach()
    refused = client.post("/api/runs", body(upload, method="direct"))
    assert fields(refused) == {"uploads": "no_reader"}
    assert "none has the tool read_file" in refused.json()["error"]["message"]
    sent = body(method="direct", files=[{"name": "a.txt", "text": "x"}])
    assert fields(client.post("/api/runs", sent)) == {"files": "no_reader"}
    endpoint.parameters, endpoint.parameters_from = 500_000_000, "person"
    endpoint.save()
    assert client.post("/api/runs", body(upload)).status_code == 201  # the studio reads for it
    endpoint.native_tools = True
    endpoint.save()
    assert client.post("/api/runs", body(upload)).status_code == 201


@pytest.fixture
def run(as_user: AsUser, attach: Callable[..., str], cast: dict[str, User]) -> Run:
    ids = [attach("Flüsse <b>.html", b"<script>alert(1)</script>"), attach("gone.txt", b"gone")]
    asked = as_user("operator").post("/api/runs", body(*ids))
    return run_cancel(user=cast["operator"], run_id=UUID(asked.json()["id"]), as_admin=False)


def is_download(response: Any) -> bool:
    assert response.content == b"<script>alert(1)</script>"
    assert response["Content-Type"] == "application/octet-stream"
    assert response["X-Content-Type-Options"] == "nosniff"
    shown: str = response["Content-Disposition"]
    return shown == "attachment; filename*=utf-8''Fl%C3%BCsse%20_b_.html"


@pytest.mark.parametrize(("who", "status"), by_group("viewer"))
def test_who_reads_the_run_downloads_its_files(
    as_user: AsUser, run: Run, who: str, status: int
) -> None:
    address = f"/api/runs/{run.id}/files"
    response = as_user(who).get(f"{address}/0")
    assert response.status_code == status
    if status == 200:
        assert is_download(response)
        assert as_user(who).get(f"{address}/2").status_code == 404


def test_a_link_shows_the_files_and_lets_them_be_downloaded(
    as_user: AsUser, run: Run, cast: dict[str, User]
) -> None:
    stranger = as_user("anonymous")
    share = share_create(user=cast["operator"], run_id=run.id, days=None, as_admin=False)
    address = f"/api/shared/{share_token(share.id)}"
    shown = stranger.get(address).json()["run"]["files"]
    assert shown == [{"name": "Flüsse _b_.html", "size": 25}, {"name": "gone.txt", "size": 4}]
    assert is_download(stranger.get(f"{address}/files/0"))
    assert stranger.get(f"{address}/files/9").status_code == 404
    share.delete()
    assert stranger.get(f"{address}/files/0").status_code == 404


def test_a_file_that_is_gone_is_told(as_user: AsUser, run: Run, folder: Path) -> None:
    digest = run.task_details["metadata"]["files"][1]["sha256"]
    (folder / digest / "data").unlink()
    client = as_user("viewer")
    assert client.get(f"/api/runs/{run.id}").json()["files"][1] == {
        "name": "gone.txt",
        "size": None,
    }
    gone = client.get(f"/api/runs/{run.id}/files/1")
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "file_gone")


def test_a_file_stored_long_ago_is_as_new_when_a_run_names_it(
    as_user: AsUser, attach: Callable[..., str], folder: Path
) -> None:
    """Until the run's row is written, nothing else may need it."""
    upload = attach()
    [stored] = folder.glob("[0-9a-f]*")
    os.utime(stored, (0, 0))
    as_user("operator").post("/api/runs", body(upload))
    assert stored.stat().st_mtime > 0

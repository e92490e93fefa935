"""Files that people attach to questions: who may send which, how many, and for how long."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser, TokenClient, by_group
from apps.common.errors import FieldError
from apps.tasks import uploads
from apps.tasks.models import Upload
from apps.tasks.uploads import uploads_attached, uploads_prune

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path / "files"


def sent(client: APIClient, name: str = "a.csv", data: bytes = b"river,km\nRhine,1233") -> Any:
    file = SimpleUploadedFile(name, data)
    return client.post("/api/uploads", {"file": file}, format="multipart")


@pytest.mark.parametrize(("who", "status"), by_group("operator", done=201))
def test_operators_upload(as_user: AsUser, who: str, status: int) -> None:
    assert sent(as_user(who)).status_code == status
    assert Upload.objects.count() == (status == 201)


def test_an_upload_is_kept_by_its_content(as_user: AsUser, folder: Path) -> None:
    answer = sent(as_user("operator"), "../../etc/a<b>.csv").json()
    assert (answer["kind"], answer["size"]) == ("CSV", 19)
    assert answer["name"] == "a_b_.csv"
    upload = Upload.objects.get(id=answer["id"])
    assert (folder / upload.sha256 / "data").read_bytes() == b"river,km\nRhine,1233"
    assert "sha256" not in answer


@pytest.mark.parametrize(("scope", "status"), [("run", 201), ("read", 403), ("curate", 403)])
def test_a_token_uploads_if_it_may_run(with_token: TokenClient, scope: str, status: int) -> None:
    assert sent(with_token("curator", scope)).status_code == status


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.txt", b"", "It is empty."),
        ("a.pdf", b"no PDF", "It is named like a PDF, but its content is none."),
        ("a.xlsx", b"no XLSX", "It is named like a XLSX file, but its content is none."),
        ("a.exe", b"MZ\0\1", "It is no text"),
    ],
)
def test_what_could_never_be_read_is_refused(
    as_user: AsUser, folder: Path, name: str, data: bytes, why: str
) -> None:
    response = sent(as_user("operator"), name, data)
    [error] = response.json()["error"]["fields"]
    assert (response.status_code, error["field"]) == (400, "file")
    assert error["message"].startswith(f"“{name}” can't be attached. {why}")
    assert not list(folder.glob("*/data"))


def test_a_file_that_is_too_large_names_the_limit(
    as_user: AsUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "FILE_MAX_BYTES", 1_500_000)
    response = sent(as_user("operator"), "a.txt", b"x" * 1_600_000)
    assert response.status_code == 413
    assert "“a.txt” has 1.6 MB; a file may have at most 2 MB" in response.json()["error"]["message"]


def test_a_person_uploads_so_much_a_day(
    as_user: AsUser, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.UPLOADS_MAX_BYTES_PER_USER = 40
    client = as_user("operator")
    first = sent(client).json()
    assert sent(client).status_code == 201
    refused = sent(client)
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many_uploads")
    assert sent(as_user("curator")).status_code == 201
    assert client.delete(f"/api/uploads/{first['id']}").status_code == 204
    assert sent(client).status_code == 201
    settings.UPLOADS_MAX_BYTES_PER_USER = 1_000
    monkeypatch.setattr(uploads, "MOST", 2)
    assert sent(client).status_code == 429


def test_only_who_sent_it_takes_it_back(as_user: AsUser) -> None:
    address = f"/api/uploads/{sent(as_user('operator')).json()['id']}"
    assert as_user("admin").delete(address).status_code == 404
    assert as_user("operator").delete(address).status_code == 204
    assert as_user("operator").delete(address).status_code == 404


def test_another_persons_an_old_and_an_unknown_one_cannot_be_named(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    ids = [UUID(sent(as_user("operator"), f"{n}.txt", b"x").json()["id"]) for n in range(2)]
    Upload.objects.filter(id=ids[1]).update(created_at=timezone.now() - timedelta(hours=25))
    errors: list[FieldError] = []
    assert [u.name for u in uploads_attached(cast["operator"], ids, errors)] == ["0.txt"]
    assert uploads_attached(cast["admin"], [ids[0], uuid4()], errors) == ()
    places = [error.message.split(" is ")[0] for error in errors]
    assert places == ["Attached file 2", "Attached file 1", "Attached file 2"]
    assert uploads_prune() == 1
    assert Upload.objects.get().id == ids[0]


def test_a_disk_without_room_is_told(as_user: AsUser, folder: Path) -> None:
    folder.write_text("no folder")
    response = sent(as_user("operator"))
    assert (response.status_code, response.json()["error"]["code"]) == (507, "not_stored")
    assert not Upload.objects.exists()

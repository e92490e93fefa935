"""The whole studio as a user starts it: address, login link, questions, crashes, the end."""

import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from studio.launcher.tests.conftest import Launched, launched, ran
from workers.core.testing.stub_llm import RunningStub, running_stub

pytestmark = [pytest.mark.processes, pytest.mark.timeout(240)]


class Studio:
    """A studio that is up, what it printed, and its data folder."""

    def __init__(self, launched: Launched) -> None:
        self.launched = launched
        self.said: list[str] = []
        stdout = launched.process.stdout
        assert stdout is not None
        for line in stdout:
            self.said.append(line.rstrip())
            if "Ctrl-C stops everything" in line:
                break
        else:
            raise AssertionError("\n".join(self.said))

    @property
    def address(self) -> str:
        return self._found(r"up at (http://\S+)")

    @property
    def login(self) -> str:
        return self._found(r"Log in once with\s+(http://\S+)")

    def _found(self, pattern: str) -> str:
        found = re.search(pattern, "\n".join(self.said))
        assert found, self.said
        return found.group(1)

    def command(
        self, *arguments: str, code: int = 0, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        done = ran(self.launched.data, *arguments, timeout=timeout)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def ask(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        question = ("ask", "What is 6 times 7?", "--json", "--method", "direct")
        return self.command(*question, *arguments, code=code)

    def runs(self) -> set[str]:
        """The ids of the newest, as far as the terminal's token reads them."""
        token = (self.launched.data / "cli-token").read_text()
        headers = {"Authorization": f"Bearer {token}"}
        answer = requests.get(f"{self.address}/api/runs", headers=headers, timeout=60)
        return {run["id"] for run in answer.json()["results"]}


def start(data: Path, **environment: str) -> Studio:
    return Studio(launched(data, "up", "--port", "0", **environment))


def get(url: str) -> http.client.HTTPResponse:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    connection.request("GET", parts.path)
    return connection.getresponse()


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    with running_stub() as server:
        yield server


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, stub: RunningStub) -> Iterator[Studio]:
    """One studio for all tests here; the last of them ends it."""
    data = tmp_path_factory.mktemp("studio") / "data"
    running = start(data, STUDIO_LLM_URL=stub.url, STUDIO_LLM_MODEL="stub")
    yield running
    if running.launched.process.poll() is None:
        running.launched.kill(signal.SIGTERM)
    running.launched.process.communicate(timeout=60)
    assert running.launched.is_gone(seconds=5)


def test_the_first_start_says_how_to_enter_and_where_its_logs_are(studio: Studio) -> None:
    assert re.search(r"admin / \S{15,}", "\n".join(studio.said))
    assert any(line.endswith(f"Logs are in {studio.launched.data}/logs.") for line in studio.said)
    logs_in_once(studio.login)


def logs_in_once(link: str) -> None:
    first, again = get(link), get(link)
    assert first.status == 302
    cookie = first.getheader("Set-Cookie") or ""
    assert "studio_session=" in cookie
    assert "HttpOnly" in cookie
    assert "studio_session=" not in (again.getheader("Set-Cookie") or "")


def test_only_this_machine_can_reach_it(studio: Studio) -> None:
    port = urlsplit(studio.address).port
    with socket.socket() as probe, pytest.raises(OSError):  # noqa: PT011 - any refusal will do
        probe.connect((machine_address(), port))


def machine_address() -> str:
    """An address of this machine that is not loopback; asking for the route sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but loopback")
        return str(probe.getsockname()[0])


def test_a_second_up_says_where_the_first_one_is(studio: Studio) -> None:
    done = studio.command("up", "--port", "0", code=3)
    assert len(done.stderr.strip().splitlines()) == 1
    assert studio.address in done.stderr
    assert f"process {studio.launched.process.pid}" in done.stderr
    assert studio.address in studio.command("status").stdout


def test_a_new_login_link_logs_in(studio: Studio) -> None:
    link = studio.command("login").stdout.split()[-1]
    assert link.startswith(f"{studio.address}/login/once/")
    logs_in_once(link)


def test_ask_prints_one_json_object(studio: Studio) -> None:
    done = studio.ask("--seed", "1")
    answer = json.loads(done.stdout)
    assert len(done.stdout.strip().splitlines()) == 1
    assert list(answer) == ["run_id", "status", "method", "answer", "graph", "tokens", "seconds"]
    assert (answer["status"], answer["method"]) == ("succeeded", "direct")
    assert len(answer["graph"]["nodes"]) == 1
    assert answer["graph"]["edges"] == []
    assert answer["tokens"]["prompt"] > 0
    assert answer["seconds"] >= 0


def test_ask_tells_people_the_steps(studio: Studio) -> None:
    told = studio.command("ask", "What is 6 times 7?", "--seed", "3").stdout
    for words in ("mashost on stub", "step 1", "Answer", "tokens"):
        assert words in told


def test_ask_says_what_the_api_says(studio: Studio) -> None:
    done = studio.ask("--method", "telepathy", code=2)
    assert done.stdout == ""
    assert "telepathy" in done.stderr
    assert "direct" in done.stderr


def test_a_killed_web_server_comes_back_on_the_same_port(studio: Studio) -> None:
    (web,) = [number for number in studio.launched.family() if "launcher.web" in words_of(number)]
    os.kill(web, signal.SIGKILL)
    assert get(f"{studio.address}/api/health").status == 200
    assert web not in studio.launched.family()


def words_of(number: int) -> str:
    return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()


TOKEN = """
from datetime import timedelta
from django.utils import timezone
from apps.accounts.models import User
from apps.accounts.services import token_create
until = timezone.now() + timedelta(days=1)
admin = User.objects.get(username="admin")
print("secret", token_create(user=admin, name="t", scopes=["read", "curate"], expires_at=until)[1])
"""
MOVED = {
    "/api/endpoints.results.default.base_url",
    "/api/endpoints.results.default.updated_at",
}
"""The address of the stub is that of this test."""
GONE = "it is gone"


def by_key(rows: list[Any]) -> dict[str, Any]:
    """The rows by their keys, else by their names; {} if they have neither."""
    for key in ("key", "name"):
        if all(isinstance(row, dict) and key in row for row in rows):
            return {row[key]: row for row in rows}
    return {}


def lost(before: Any, now: Any, place: str) -> dict[str, str]:
    """Where `now` lacks what was there, or says something else. New fields are no loss, nor are new
    rows of a list by key: a newer version ships more."""
    if isinstance(before, dict) and isinstance(now, dict):
        pairs = [(f"{place}.{name}", old, now.get(name, GONE)) for name, old in before.items()]
        if ".method." in f"{place}.":  # its sentences are this version's, not stored
            pairs = [pair for pair in pairs if not pair[0].endswith(".description")]
        if place.endswith(".draft"):  # a design is stored in this version's format
            pairs = [pair for pair in pairs if not pair[0].endswith(".format")]
    elif isinstance(before, list) and isinstance(now, list) and by_key(before) and by_key(now):
        return lost(by_key(before), by_key(now), place)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        both = enumerate(zip(before, now, strict=True))
        pairs = [(f"{place}[{i}]", old, new) for i, (old, new) in both]
    else:
        return {} if before == now else {place: f"{before!r} is {now!r}"}
    return {p: said for at, old, new in pairs for p, said in lost(old, new, at).items()}


def test_a_backup_of_an_older_version_is_loaded_while_the_studio_runs_and_says_the_same(
    studio: Studio,
) -> None:
    """Every run, cell, training and checkpoint, as the API of then told them; `upgrade/make.py`
    says how they were made."""
    older = Path(__file__).parent / "upgrade"
    studio.command("restore", str(older))
    secret = studio.command("manage", "shell", "--no-imports", "-c", TOKEN).stdout.split()[-1]
    headers = {"Authorization": f"Bearer {secret}"}
    answers = json.loads(gzip.decompress((older / "answers.json.gz").read_bytes()))
    assert len(answers) > 90
    for path, before in answers.items():
        answer = requests.get(studio.address + path, headers=headers, timeout=60)
        assert answer.status_code == 200, f"{path}: {answer.text[:300]}"
        changed = lost(before, answer.json(), path)
        assert {at: said for at, said in changed.items() if at not in MOVED} == {}


def test_the_terminals_token_is_private_and_replaced_when_it_no_longer_works(
    studio: Studio,
) -> None:
    """As after the restore above."""
    token = studio.launched.data / "cli-token"
    token.write_text("mas_revoked")
    token.chmod(0o600)
    studio.ask()
    assert token.read_text() != "mas_revoked"
    assert token.stat().st_mode & 0o777 == 0o600


def test_a_backup_is_made_and_loaded_while_the_studio_runs(studio: Studio, tmp_path: Path) -> None:
    weights = studio.launched.data / "checkpoints/mashost-initial/checkpoint.json"
    studio.ask()
    before = studio.runs()
    studio.command("backup", str(tmp_path / "backup"))
    studio.ask()
    weights.unlink()
    studio.command("restore", str(tmp_path / "backup"))
    assert get(f"{studio.address}/api/health").status == 200
    assert studio.runs() == before
    assert weights.exists()
    studio.ask()
    assert len(studio.runs() - before) == 1
    assert studio.launched.process.poll() is None


def test_kill_9_leaves_nothing_and_the_next_start_has_the_data(
    studio: Studio, stub: RunningStub
) -> None:
    """It ends the studio that the tests above share."""
    studio.ask()
    runs = studio.runs()
    studio.launched.kill(signal.SIGKILL)
    studio.launched.process.wait(timeout=10)
    assert studio.launched.is_gone()
    second = start(studio.launched.data, STUDIO_LLM_URL=stub.url, STUDIO_LLM_MODEL="stub")
    try:
        assert not any("admin /" in line for line in second.said)
        assert second.runs() == runs
        second.command("stop")
        assert second.launched.process.wait(timeout=30) == 0
        assert second.launched.is_gone(seconds=5)
        second.command("status", code=4)
    finally:
        second.launched.process.kill()


@pytest.mark.model
def test_ask_without_a_studio_starts_what_it_needs_and_stops_it(studio: Studio) -> None:
    """On the data that the tests above left."""
    studio.command("stop")
    question = ("ask", "What is the capital of Italy?", "--json", "--method", "direct")
    done = studio.command(*question, "--endpoint", "embedded", "--seed", "1", timeout=200)
    answer = json.loads(done.stdout)
    assert (answer["status"], answer["method"]) == ("succeeded", "direct")
    assert answer["answer"]
    assert answer["tokens"]["completion"] > 0
    assert "No studio is running" in done.stderr
    assert "Stopping the studio that was started" in done.stderr
    assert studio.launched.is_gone(seconds=5)

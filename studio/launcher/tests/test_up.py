"""The whole studio as a user starts it: address, login link, questions, crashes, the end."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from studio.launcher.folder import ROOT
from studio.launcher.tests.conftest import Launched, clean_environment, eventually
from workers.core.testing.stub_llm import RunningStub, running_stub

pytestmark = [pytest.mark.processes, pytest.mark.timeout(240)]

Run = Callable[..., subprocess.CompletedProcess[str]]


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

    def command(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "studio.launcher", *arguments],
            cwd=ROOT,
            env={**clean_environment(self.launched.data), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def start(data: Path, *arguments: str, **environment: str) -> Studio:
    process = subprocess.Popen(
        [sys.executable, "-m", "studio.launcher", "up", "--port", "0", *arguments],
        cwd=ROOT,
        env={**clean_environment(data), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Studio(Launched(process, data))


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
    assert eventually(lambda: running.launched.family() == [], seconds=5)


def test_the_first_start_prints_a_login_link_that_works_once(studio: Studio) -> None:
    first = get(studio.login)
    assert first.status == 302
    cookie = first.getheader("Set-Cookie") or ""
    assert "studio_session=" in cookie
    assert "HttpOnly" in cookie
    assert "studio_session=" not in (get(studio.login).getheader("Set-Cookie") or "")


def test_the_first_start_shows_the_admins_password(studio: Studio) -> None:
    assert re.search(r"admin / \S{15,}", "\n".join(studio.said))


def test_it_says_where_its_logs_are(studio: Studio) -> None:
    assert any(line.endswith(f"Logs are in {studio.launched.data}/logs.") for line in studio.said)


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
    done = studio.command("up", "--port", "0")
    assert done.returncode == 3
    assert len(done.stderr.strip().splitlines()) == 1
    assert studio.address in done.stderr
    assert f"process {studio.launched.process.pid}" in done.stderr


def test_status_says_the_address(studio: Studio) -> None:
    done = studio.command("status")
    assert (done.returncode, studio.address in done.stdout) == (0, True)


def test_a_new_login_link_logs_in(studio: Studio) -> None:
    done = studio.command("login")
    assert done.returncode == 0, done.stderr
    address = done.stdout.split()[-1]
    assert address.startswith(f"{studio.address}/login/once/")
    first, again = get(address), get(address)
    assert "studio_session=" in (first.getheader("Set-Cookie") or "")
    assert "studio_session=" not in (again.getheader("Set-Cookie") or "")


def test_django_commands_reach_the_running_studio(studio: Studio) -> None:
    done = studio.command(
        "manage",
        "shell",
        "-c",
        "from apps.accounts.models import User as U; "
        "print('admins', U.objects.filter(is_superuser=True).count())",
    )
    assert "admins 1" in done.stdout, done.stderr


def test_ask_prints_one_json_object(studio: Studio) -> None:
    done = studio.command(
        "ask", "What is 6 times 7?", "--json", "--method", "direct", "--seed", "1"
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert len(done.stdout.strip().splitlines()) == 1
    assert list(answer) == ["run_id", "status", "method", "answer", "graph", "tokens", "seconds"]
    assert (answer["status"], answer["method"]) == ("succeeded", "direct")
    assert len(answer["graph"]["nodes"]) == 1
    assert answer["graph"]["edges"] == []
    assert answer["tokens"]["prompt"] > 0
    assert answer["seconds"] >= 0


def test_ask_tells_people_the_steps(studio: Studio) -> None:
    done = studio.command("ask", "What is 6 times 7?", "--seed", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    for words in ("mashost on stub", "step 1", "Answer", "tokens"):
        assert words in done.stdout


def test_ask_says_what_the_api_says(studio: Studio) -> None:
    done = studio.command("ask", "Why?", "--json", "--method", "telepathy")
    assert (done.returncode, done.stdout) == (2, "")
    assert "telepathy" in done.stderr
    assert "direct" in done.stderr


def test_the_terminals_token_is_private_and_replaced_when_it_no_longer_works(
    studio: Studio,
) -> None:
    token = studio.launched.data / "cli-token"
    token.write_text("mas_revoked")
    token.chmod(0o600)
    assert studio.command("ask", "6 * 7", "--json", "--method", "direct").returncode == 0
    assert token.read_text() != "mas_revoked"
    assert token.stat().st_mode & 0o777 == 0o600


def test_a_killed_web_server_comes_back_on_the_same_port(studio: Studio) -> None:
    (web,) = [number for number in studio.launched.family() if "launcher.web" in words_of(number)]
    os.kill(web, signal.SIGKILL)
    assert get(f"{studio.address}/api/health").status == 200
    assert web not in studio.launched.family()


def words_of(number: int) -> str:
    return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def count_runs(studio: Studio) -> int:
    code = "from apps.runs.models import Run; print('runs', Run.objects.count())"
    found = re.search(r"runs (\d+)", studio.command("manage", "shell", "-c", code).stdout)
    assert found
    return int(found.group(1))


def test_a_backup_is_made_and_loaded_while_the_studio_runs(studio: Studio, tmp_path: Path) -> None:
    question = ("ask", "6 * 7", "--json", "--method", "direct")
    weights = studio.launched.data / "checkpoints/mashost-initial/checkpoint.json"
    assert studio.command(*question).returncode == 0
    before = count_runs(studio)
    made = studio.command("backup", str(tmp_path / "backup"))
    assert made.returncode == 0, made.stderr
    assert studio.command(*question).returncode == 0
    weights.unlink()
    loaded = studio.command("restore", str(tmp_path / "backup"))
    assert loaded.returncode == 0, loaded.stderr
    assert get(f"{studio.address}/api/health").status == 200
    assert count_runs(studio) == before
    assert weights.exists()
    assert studio.command(*question).returncode == 0
    assert count_runs(studio) == before + 1
    assert studio.launched.process.poll() is None


def test_kill_9_leaves_nothing_and_the_next_start_has_the_data(
    studio: Studio, stub: RunningStub
) -> None:
    """The last test of the studio that all share: it ends it."""
    runs = count_runs(studio)
    studio.launched.kill(signal.SIGKILL)
    studio.launched.process.wait(timeout=10)
    assert eventually(lambda: studio.launched.family() == [])
    second = start(studio.launched.data, STUDIO_LLM_URL=stub.url, STUDIO_LLM_MODEL="stub")
    try:
        assert not any("admin /" in line for line in second.said)
        assert count_runs(second) == runs
        assert second.command("stop").returncode == 0
        assert second.launched.process.wait(timeout=30) == 0
        assert eventually(lambda: second.launched.family() == [], seconds=5)
        assert second.command("status").returncode == 4
    finally:
        second.launched.process.kill()


@pytest.mark.model
def test_ask_without_a_studio_starts_what_it_needs_and_stops_it(run: Run, data: Path) -> None:
    question = ("ask", "What is the capital of Italy?", "--method", "direct")
    done = run(*question, "--json", "--seed", "1", timeout=200)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["status"], answer["method"]) == ("succeeded", "direct")
    assert answer["answer"]
    assert answer["tokens"]["completion"] > 0
    assert "No studio is running" in done.stderr
    assert "Stopping the studio that was started" in done.stderr
    probe = Launched(subprocess.Popen(["true"], text=True), data)
    assert eventually(lambda: probe.family() == [], seconds=5)

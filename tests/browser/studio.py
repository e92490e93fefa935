"""The studio that the browser visits, and the people who visit it."""

import json
import os
import subprocess
import time
from dataclasses import dataclass, field
from typing import Any

import requests

from tests.processes.children import ROOT, python, until
from tests.processes.studio import Studio
from workers.core.methods.mashost.initial import INITIAL

WEB, WORKER, TRAINER = "web1", "worker1", "trainer"
# A browser and axe on two cores delay heartbeats; a run lost to that would be the test's doing.
# No worker is killed here, and a look for what lost one costs beat, worker and database their time.
CALM = {
    "RUN_HEARTBEAT_SECONDS": "1",
    "RUN_LOST_AFTER_SECONDS": "30",
    "RUN_WATCHDOG_SECONDS": "5",
}
PEOPLE = """
from tests.browser.people import write
write({path!r})
"""
LONGEST = 240.0
PLACE = ("status", "step", "step_share", "done")
"""How far a training or an evaluation is."""


@dataclass(slots=True)
class VisitedStudio(Studio):
    """One web, one worker and beat. `people` is what `people.py` has written."""

    people: dict[str, dict[str, Any]] = field(default_factory=dict)

    def open(self, llm_url: str) -> None:
        people = self.folder / "people.json"
        self.prepare(llm_url, PEOPLE.format(path=str(people)))
        self.people = json.loads(people.read_text())
        self.env.update(CALM)
        self.start_web(WEB)
        self.start_worker(WORKER)
        self.start_beat()
        until(lambda: self.web_answers(WEB), seconds=90, what="the web answers")
        self.worker_ready(WORKER)
        # The checkpoint that comes with the studio may be another one with each version, and builds
        # other teams; the untrained one shows a summary agent, too.
        self.post(f"/api/checkpoints/{INITIAL}/promote", {})

    def stored(self) -> dict[str, str]:
        """The ids of the runs that `stored.py` stores."""
        return self._printed("tests.browser.stored")

    def designed(self) -> dict[str, str]:
        """The id of the training that `designed.py` stores."""
        return self._printed("tests.browser.designed")

    def _printed(self, module: str) -> dict[str, Any]:
        """What a module that is run against the studio's database prints as its last line."""
        made = subprocess.run(
            python("-m", module),
            cwd=ROOT,
            env={**os.environ, **self.env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr
        printed: dict[str, Any] = json.loads(made.stdout.strip().splitlines()[-1])
        return printed

    def kill_web(self) -> None:
        self.children[WEB].kill()

    def restart_web(self) -> None:
        """At the same address: an open page finds it again."""
        arguments = ("--port", str(self.ports[WEB]), "--lifespan", "off", "--log-level", "warning")
        self._start(WEB, python("-m", "uvicorn", "studio.asgi:application", *arguments))
        until(lambda: self.web_answers(WEB), seconds=90, what="the web answers again")

    def start_trainer(self) -> None:
        """One training at a time. Not waited for: what is asked meanwhile waits in the queue."""
        self.start_worker(TRAINER, queues="training", threads=1)

    def request(
        self, method: str, path: str, *, by: str = "curator", kind: str = "", **parts: Any
    ) -> Any:
        """A request to the API with the token of one of the people; what it answers. `kind`: the
        media type of a body that is given as `data`."""
        headers = {"Authorization": f"Bearer {self.people[by]['token']}"}
        if kind:
            headers["Content-Type"] = kind
        address = f"{self.url()}{path}"
        answer = requests.request(method, address, headers=headers, timeout=20, **parts)
        assert answer.ok, answer.text
        return answer.json()

    def get(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = self.request("GET", path)
        return found

    def post(self, path: str, body: object, *, by: str = "curator") -> dict[str, Any]:
        made: dict[str, Any] = self.request("POST", path, by=by, json=body)
        return made

    def dataset(self, key: str, splits: dict[str, list[dict[str, str]]], **about: str) -> None:
        """A new dataset with these rows in each split."""
        self.post(
            "/api/datasets", {"key": key, "name": key.title(), "benchmark": "custom", **about}
        )
        for split, rows in splits.items():
            file = ("tasks.jsonl", "\n".join(json.dumps(row) for row in rows))
            path = f"/api/datasets/{key}/import"
            told = self.request("POST", path, data={"split": split}, files={"file": file})
            assert told["skipped"] == []

    def ends(self, path: str, *, seconds: float = 180.0) -> dict[str, Any]:
        """A training or an evaluation once it has succeeded. `seconds` is how long it may stand
        still: on a busy machine a worker takes its time, but it gets on."""
        place: tuple[Any, ...] = ()
        since = time.monotonic()

        def ended() -> dict[str, Any] | None:
            nonlocal place, since
            row = self.get(path)
            assert row["status"] not in {"failed", "cancelled"}, row["failure"]
            now = tuple(row.get(name) for name in PLACE)
            if now != place:
                place, since = now, time.monotonic()
            still = time.monotonic() - since
            assert still < seconds, f"{path} has stood at {place} for {still:.0f} s"
            return row if row["status"] == "succeeded" else None

        row = until(ended, seconds=LONGEST, what=f"{path} succeeds")
        assert row is not None
        return row

    def share(self, run_id: str) -> str:
        """The path of a new link to a run that `ask` has made, and that has ended."""
        answer = requests.post(
            f"{self.url()}/api/runs/{run_id}/shares", json={}, headers=self.headers, timeout=20
        )
        assert answer.ok, answer.text
        path: str = answer.json()["path"]
        return path

    def endpoint(self, key: str, name: str, *, base_url: str, model: str, **prices: float) -> None:
        values = {"key": key, "name": name, "base_url": base_url, "model": model, **prices}
        self.post("/api/endpoints", {**values, "allow_private_address": True})

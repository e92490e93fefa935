"""The studio that the browser visits, and the people who visit it."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from typing import Any

import requests

from tests.processes.children import ROOT, python, until
from tests.processes.studio import Studio

WEB, WORKER = "web1", "worker1"
# A browser and axe on two cores delay heartbeats; a run lost to that would be the test's doing.
CALM = {"RUN_HEARTBEAT_SECONDS": "1", "RUN_LOST_AFTER_SECONDS": "30"}


@dataclass(slots=True)
class VisitedStudio(Studio):
    """One web, one worker and beat. `people` is what `people.py` printed."""

    people: dict[str, dict[str, Any]] = field(default_factory=dict)

    def open(self, llm_url: str) -> None:
        self.prepare(llm_url)
        self.env.update(CALM)
        self.start_web(WEB)
        self.start_worker(WORKER)
        self.start_beat()
        self.people = self._people()
        until(lambda: self.web_answers(WEB), seconds=90, what="the web answers")
        self.worker_ready(WORKER)

    def _people(self) -> dict[str, dict[str, Any]]:
        made = subprocess.run(
            python("-m", "tests.browser.people"),
            cwd=ROOT,
            env={**os.environ, **self.env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr
        people: dict[str, dict[str, Any]] = json.loads(made.stdout.strip().splitlines()[-1])
        return people

    def kill_web(self) -> None:
        self.children[WEB].kill()

    def restart_web(self) -> None:
        """At the same address: an open page finds it again."""
        arguments = ("--port", str(self.ports[WEB]), "--lifespan", "off", "--log-level", "warning")
        self._start(WEB, python("-m", "uvicorn", "studio.asgi:application", *arguments))
        until(lambda: self.web_answers(WEB), seconds=90, what="the web answers again")

    def post(self, path: str, body: object, *, by: str = "curator") -> dict[str, Any]:
        """A request to the API with the token of one of the people."""
        headers = {"Authorization": f"Bearer {self.people[by]['token']}"}
        answer = requests.post(f"{self.url()}{path}", json=body, headers=headers, timeout=20)
        assert answer.ok, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def endpoint(self, key: str, name: str, *, base_url: str, model: str) -> None:
        values = {"key": key, "name": name, "base_url": base_url, "model": model}
        self.post("/api/endpoints", {**values, "allow_private_address": True})

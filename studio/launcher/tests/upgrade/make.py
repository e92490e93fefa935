"""How this backup was made: a studio with a little of everything, and what its API said of it.

With the clone of the version before (875e13c), an empty data folder and the stub LLM server:

    python -m workers.core.testing.stub_llm --port 8467 --latency 0.02
    STUDIO_LLM_URL=http://127.0.0.1:8467/v1 STUDIO_LLM_MODEL=stub bin/studio up --port 8321
    python make.py http://127.0.0.1:8321 TOKEN answers.json    # a token that may read, run, curate
    bin/studio backup FOLDER

Here are its database, its two small checkpoints and, packed, the answers.
"""

import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import requests

ENDED = ("succeeded", "failed", "cancelled")
METHODS = (
    *("direct", "chain_of_thought", "self_consistency", "program", "cascade", "self_refine"),
    *("debate", "multi_persona", "fixed_graph", "random_graph", "mashost", "reso"),
)
ROWS = [{"question": f"What is {i} + {i}?", "answer": str(2 * i)} for i in range(1, 9)]
TRAININGS: tuple[dict[str, Any], ...] = (
    {
        "method": "mashost",
        "config": {
            "steps": 2,
            "queries_per_step": 2,
            "systems_per_query": 2,
            "checkpoint_every": 1,
        },
    },
    {
        "method": "reso",
        "config": {"steps": 2, "queries_per_step": 2, "checkpoint_every": 1, "planner": "llm"},
    },
)


class Api:
    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"

    def get(self, path: str) -> Any:
        answer = self.session.get(self.url + path, timeout=60)
        answer.raise_for_status()
        return answer.json()

    def post(self, path: str, body: Any = None, **files: Any) -> Any:
        sent = {"data": body, "files": files} if files else {"json": body}
        answer = self.session.post(self.url + path, timeout=120, **sent)
        answer.raise_for_status()
        return answer.json()

    def wait(self, path: str, *statuses: str) -> None:
        until = time.monotonic() + 400
        while self.get(path)["status"] not in (*statuses, *ENDED):
            if time.monotonic() > until:
                raise TimeoutError(path)
            time.sleep(0.5)


def fill(api: Api) -> list[str]:
    """Returns the addresses to ask."""
    api.post("/api/datasets", {"key": "sums", "name": "Sums"})
    mapping = json.dumps({"query": "question", "reference": "answer"})
    for split, words in (("train", "What is"), ("dev", "How much is")):
        text = "\n".join(map(json.dumps, ROWS)).replace("What is", words)
        file = ("a.jsonl", io.BytesIO(text.encode()))
        api.post("/api/datasets/sums/import", {"split": split, "mapping": mapping}, file=file)
    runs = [
        api.post(
            "/api/runs",
            {
                "query": f"What is 6 times 7? ({method})",
                "method": method,
                "reference": "42",
                "seed": 7,
            },
        )["id"]
        for method in METHODS
    ]
    for run in runs:
        api.wait(f"/api/runs/{run}")
    runs.append(api.post(f"/api/runs/{runs[0]}/retry")["id"])
    design = api.post("/api/designs", {"from_run": runs[10]})
    drawn = {"method": "design", "design": design["id"]}
    first = {"revision": design["revision"], "name": "First"}
    api.post(f"/api/designs/{design['id']}/versions", first)
    held = {"query": "Stop before the first agent", "breakpoints": [_first_agent(design)]}
    runs.append(api.post("/api/runs", {**drawn, **held})["id"])
    whole = {"query": "The design, whole", "design_version": 1}
    runs.append(api.post("/api/runs", {**drawn, **whole})["id"])
    for run in runs:
        api.wait(f"/api/runs/{run}", "waiting")
    note: Any = {"score": 4, "label": "good", "comment": "A note."}
    api.session.put(f"{api.url}/api/runs/{runs[1]}/annotation", json=note, timeout=20)
    token = api.post(f"/api/runs/{runs[10]}/shares", {})["path"].rsplit("/", 1)[-1]
    evaluation = api.post(
        "/api/evaluations",
        {
            "dataset": "sums",
            "split": "dev",
            "name": "All in one",
            "repeats": 2,
            "limit": 4,
            "arms": [
                {"method": "direct"},
                {"method": "mashost"},
                {**drawn, "label": "as drawn", "max_completion_tokens_per_call": 64},
            ],
        },
    )["id"]
    api.wait(f"/api/evaluations/{evaluation}")
    asked = {"dataset": "sums", "limit": 4, "seed": 3}
    jobs = [api.post("/api/training-jobs", {**asked, "name": "A", **each}) for each in TRAININGS]
    for job in jobs:
        api.wait(f"/api/training-jobs/{job['id']}")
    samples = api.get(f"/api/training-jobs/{jobs[0]['id']}/samples")
    api.post("/api/designs", {"from_sample": samples[0]["id"], "name": "From a sample"})
    return [
        *("/api/runs?limit=100", "/api/evaluations", "/api/training-jobs", "/api/checkpoints"),
        *("/api/designs", "/api/pools", "/api/datasets", "/api/datasets/sums/tasks?split=dev"),
        *("/api/agents?limit=200", "/api/agents/statistics", "/api/agents/curves"),
        *("/api/endpoints", "/api/runs/labels"),
        *(f"/api/runs/{run}{part}" for run in runs for part in ("", "/events")),
        *(f"/api/evaluations/{evaluation}{p}" for p in ("", "/results?limit=100", "/summary")),
        *(
            f"/api/training-jobs/{job['id']}{part}"
            for job in jobs
            for part in ("", "/metrics", "/samples")
        ),
        *(f"/api/designs/{each['id']}" for each in api.get("/api/designs")["results"]),
        *(f"/api/shared/{token}{part}" for part in ("", "/events")),
        *(f"/api/checkpoints/{each['name']}" for each in api.get("/api/checkpoints")["results"]),
    ]


def _first_agent(design: dict[str, Any]) -> str:
    agent: str = design["draft"]["agents"][0]["id"]
    return agent


def main(url: str, token: str, target: str) -> None:
    api = Api(url, token)
    answers = {path: api.get(path) for path in fill(api)}
    Path(target).write_text(json.dumps(answers, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:4])

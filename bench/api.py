"""p95 of the runs list and of a 2,000-event trace, with 100,000 runs, 10,000 notes and
2 million events stored.

    bin/studio bench api

It sends real HTTP to one uvicorn process over one kept-alive connection, one request after the
other, so it measures how long a person waits. It needs an empty database in DATABASE_URL and fills
it.
"""

import http.client
import time
from uuid import UUID

from django.db.backends.utils import CursorWrapper
from rich.console import Console

from bench.common.report import percentile, report
from bench.common.web import reading_token, serving, set_up

RUNS = 100_000
EVENTS_PER_RUN = 20
TRACE_EVENTS = 2_000
TRACE_RUN = "00000000-0000-4000-8000-000000000001"
REQUESTS = 200
WARM_UP = 20

LISTS = {
    "newest first": "/api/runs",
    "status": "/api/runs?status=failed",
    "method": "/api/runs?method=mashost",
    "text of questions": "/api/runs?q=loaves",
    "text of answers": "/api/runs?q=croissants",
    "text of notes": "/api/runs?q=unit",
    "text of a question and its notes": "/api/runs?q=loaves+critic",
    "text of nearly all": "/api/runs?q=train",
    "label": "/api/runs?label=wrong+unit",
    "score": "/api/runs?min_score=5",
    "200 to a page": "/api/runs?page_size=200",
}

FILL_RUNS = """
INSERT INTO runs_run (id, status, attempt, max_attempts, method, method_config, endpoint_key,
  endpoint_spec, checkpoint, seed, query, budget, answer, message, failure, graph, agent_count,
  prompt_tokens, completion_tokens, cost, seconds, created_by_id, request_digest, worker,
  created_at, started_at, finished_at, cancel_requested_by, noted, task_details, endpoint_specs,
  control)
SELECT CASE WHEN n = 1 THEN %(trace)s ELSE gen_random_uuid() END,
  CASE WHEN mod(n, 10) = 0 THEN 'failed' ELSE 'succeeded' END, 1, 3,
  (ARRAY['direct', 'chain_of_thought', 'self_consistency', 'mashost'])[1 + mod(n, 4)], '{}',
  'local', '{"key": "local", "base_url": "http://127.0.0.1:1/v1", "model": "m"}', '', n,
  CASE WHEN mod(n, 97) = 0 THEN 'A baker sells ' || n || ' loaves' ELSE 'Question ' || n END
    || repeat(' about trains that leave a town at noon and meet another', 6),
  '{}', n || CASE WHEN mod(n, 89) = 0 THEN ' croissants' ELSE '' END,
  repeat('The answer follows from the numbers. ', 10),
  CASE WHEN mod(n, 10) = 0 THEN '{"code": "timeout", "message": "", "remedy": ""}'::jsonb END,
  '{"nodes": [], "edges": []}', 5, 900, 300, 0.001, 3.2, %(user)s, '', 'w',
  now() - n * interval '1 second', now(), now(), '', '', '{}', '[]', '{}'
FROM generate_series(1, %(runs)s) AS n
"""

FILL_NOTES = """
INSERT INTO runs_annotation (run_id, author_id, score, label, comment, updated_at)
SELECT id, %(user)s, 1 + mod(seed / 10, 5),
  CASE WHEN mod(seed, 100) = 0 THEN 'wrong unit' ELSE 'fine' END,
  'The critic saw it, and the solver went on as before.', now()
FROM runs_run WHERE mod(seed, 10) = 0
"""

FILL_EVENTS = """
INSERT INTO runs_runevent (run_id, attempt, seq, kind, payload, at)
SELECT r.id, 1, n, 'agent_finished', jsonb_build_object('event', 'agent_finished', 'at', 1.5,
  'agent_id', 'a' || n, 'message', repeat('The answer follows from the numbers. ', 8),
  'answer', '42', 'refused', false, 'usage', jsonb_build_object('prompt_tokens', 180,
  'completion_tokens', 60, 'cost', 0.0), 'seconds', 1.25, 'calls', 1, 'retries', 0,
  'cached', false, 'reused', false, 'truncated', false), now()
FROM runs_run r, generate_series(1, %(count)s) AS n WHERE r.id = %(run)s OR %(run)s IS NULL
ON CONFLICT DO NOTHING
"""


def main() -> None:
    set_up()
    console = Console(stderr=True)
    with console.status("filling the database"):
        secret = fill()
    with serving() as port:
        headers = {"Authorization": f"Bearer {secret}", "Accept": "application/json"}
        lists = {name: measure(port, path, headers) for name, path in LISTS.items()}
        trace_path = f"/api/runs/{TRACE_RUN}/events?page_size={TRACE_EVENTS}"
        trace = measure(port, trace_path, headers)
    rows = [(f"runs list: {name}", *figures(times)) for name, times in lists.items()]
    rows.append((f"trace of {TRACE_EVENTS:,} events", *figures(trace)))
    report(
        "api",
        ("request", "median", "p95", "max"),
        rows,
        runs_p95_ms=max(percentile(times, 0.95) for times in lists.values()),
        trace_p95_ms=percentile(trace, 0.95),
    )


def fill() -> str:
    """Fill the tables and return the secret of a token."""
    from django.db import connection

    from apps.accounts.services import admin_ensure

    admin, _ = admin_ensure()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM runs_run")
        if cursor.fetchone() == (0,):
            insert(cursor, user_id=admin.pk, runs=RUNS)
        cursor.execute("VACUUM ANALYZE")
    return reading_token()


def insert(cursor: CursorWrapper, *, user_id: UUID, runs: int) -> None:
    """Store runs with their notes and events. The first run has the long trace."""
    cursor.execute(FILL_RUNS, {"user": user_id, "trace": UUID(TRACE_RUN), "runs": runs})
    cursor.execute(FILL_NOTES, {"user": user_id})
    cursor.execute(FILL_EVENTS, {"count": EVENTS_PER_RUN, "run": None})
    cursor.execute(FILL_EVENTS, {"count": TRACE_EVENTS, "run": TRACE_RUN})


def measure(port: int, path: str, headers: dict[str, str], requests: int = REQUESTS) -> list[float]:
    """Milliseconds of each of the requests, after a warm-up."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    times = []
    warm_up = min(WARM_UP, requests)
    for index in range(warm_up + requests):
        start = time.perf_counter()
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = response.read()
        elapsed = (time.perf_counter() - start) * 1000
        if response.status != 200:
            raise SystemExit(f"{path} answered {response.status}: {body[:300]!r}")
        if index >= warm_up:
            times.append(elapsed)
    connection.close()
    return times


def figures(times: list[float]) -> tuple[str, str, str]:
    values = (percentile(times, 0.5), percentile(times, 0.95), max(times))
    return (f"{values[0]:.1f} ms", f"{values[1]:.1f} ms", f"{values[2]:.1f} ms")


if __name__ == "__main__":
    main()

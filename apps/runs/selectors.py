"""Reads about runs. Rows are dicts with only the columns that a response needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import (
    Count,
    Expression,
    F,
    Func,
    JSONField,
    Min,
    OuterRef,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.functions import JSONObject, Left, Upper

from apps.common.pagination import LIST_CHARS
from apps.common.serializers import Row
from apps.runs.control import control_spec
from apps.runs.earlier import earlier_of
from apps.runs.models import TERMINAL, Annotation, Run
from apps.runs.spent import spent_before
from apps.setups.specs import own_profiles, pool_spec
from workers.core.specs import Budget, EndpointSpec, RunSpec, TaskSpec

RunRows = QuerySet[Run, Row]

MOST_LABELS = 200
"""Limit on suggested labels; other labels can still be typed."""

_COMMON = (
    *("id", "status", "attempt", "max_attempts", "seed", "budget", "failure", "seconds"),
    *("method", "endpoint_key", "pool_version__key", "pool_version__version", "checkpoint"),
    *("correct", "reward", "agent_count", "prompt_tokens", "completion_tokens", "cost"),
    *("replies", "cut_replies", "cut_agents", "final_cut"),
    *("created_by__username", "created_at", "started_at", "finished_at", "cancel_requested_at"),
    *("retry_of_id", "fork_of_id", "design_id", "design__name", "design_version", "evaluation_id"),
)

_DETAIL = (
    *("method_config", "query", "reference", "answer", "message", "graph"),
    *("task_details__answer_form", "evaluation__name", "result__task__index"),
    "task_details__metadata__files",
)


def _notes(comment: Expression | F) -> ArraySubquery:
    """All notes on the run of the outer statement, each as JSON."""
    notes = Annotation.objects.filter(run=OuterRef("pk")).order_by("updated_at", "id")
    return ArraySubquery(
        notes.values(
            note=JSONObject(
                author="author__username",
                score="score",
                label="label",
                comment=comment,
                updated_at="updated_at",
            )
        )
    )


class WithoutKeys(Func):
    """A JSON object without some of its keys: a list has no room for a design's graph."""

    arg_joiner = " - "
    template = "(%(expressions)s)"

    def __init__(self, field: str, keys: Sequence[str]) -> None:
        names = Value(list(keys), output_field=ArrayField(TextField()))
        super().__init__(F(field), names, output_field=JSONField())


def run_rows() -> RunRows:
    """Runs for a list: long texts are cut in SQL, so that the database sends none in full."""
    rows: RunRows = Run.objects.values(
        *_COMMON,
        options=WithoutKeys("method_config", ["graph", "sampling"]),
        query_start=Left("query", LIST_CHARS),
        answer_start=Left("answer", LIST_CHARS),
        reference_start=Left("reference", LIST_CHARS),
        notes=_notes(Left("comment", LIST_CHARS)),
    )
    return rows


def run_row(run_id: UUID | str) -> Row:
    """One full run, except its endpoint. Raises Run.DoesNotExist."""
    rows: RunRows = _runs([run_id]).values(*_COMMON, *_DETAIL, notes=_notes(F("comment")))
    return rows.get()


def run_with_endpoint(run_id: UUID | str) -> Row:
    """One full run, with its endpoint as it was. Raises Run.DoesNotExist."""
    return run_detail_rows([run_id]).get()


def run_detail_rows(run_ids: Iterable[UUID | str]) -> RunRows:
    """Full runs, with their endpoints."""
    rows: RunRows = _runs(run_ids).values(
        *_COMMON, *_DETAIL, "endpoint_spec", notes=_notes(F("comment"))
    )
    return rows


def _runs(run_ids: Iterable[UUID | str]) -> QuerySet[Run]:
    return Run.objects.filter(id__in=list(run_ids))


def label_rows() -> list[Row]:
    """`{name, runs}` of the labels of notes, most used first. Upper and lower case count as the
    same, as in the filter."""
    labels = Annotation.objects.exclude(label="").values(folded=Upper("label"))
    counted = labels.annotate(name=Min("label"), runs=Count("run", distinct=True))
    rows = counted.order_by("-runs", "folded").values("name", "runs")[:MOST_LABELS]
    return [dict(row) for row in rows]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a run's trace: after this event. `0.0` is before the first."""

    attempt: int = 0
    seq: int = 0

    def __str__(self) -> str:
        return f"{self.attempt}.{self.seq}"

    @staticmethod
    def parse(text: str) -> Position:
        """Reads `attempt.seq`. Raises ValueError."""
        attempt, dot, seq = text.partition(".")
        if not dot or not all(p.isascii() and p.isdigit() and len(p) < 10 for p in (attempt, seq)):
            raise ValueError("not of the form attempt.seq")
        position = Position(int(attempt), int(seq))
        if position.attempt > 32_767:
            raise ValueError("no run has so many attempts")
        return position


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """`payload` is the event's JSON as stored. It is passed on unread."""

    position: Position
    kind: str
    payload: bytes

    def envelope(self) -> bytes:
        """`{"attempt", "seq", "id", "event"}`."""
        return event_envelope(self.position, self.payload)


def event_envelope(position: Position, payload: bytes) -> bytes:
    return b'{"attempt":%d,"seq":%d,"id":"%d.%d","event":%b}' % (
        position.attempt,
        position.seq,
        position.attempt,
        position.seq,
        payload,
    )


def run_events(run_id: UUID | str, *, after: Position, limit: int) -> list[StoredEvent]:
    """At most `limit` events after a position, in order."""
    with connection.cursor() as cursor:
        cursor.execute(_EVENTS, [run_id, after.attempt, after.seq, limit])
        return [
            StoredEvent(Position(attempt, seq), kind, payload.encode())
            for attempt, seq, kind, payload in cursor.fetchall()
        ]


_EVENTS = """
SELECT attempt, seq, kind, payload::text FROM runs_runevent
WHERE run_id = %s AND (attempt, seq) > (%s, %s) ORDER BY attempt, seq LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: enough to see that events were missed."""

    run_id: str
    status: str
    attempt: int
    position: Position

    @property
    def ended(self) -> bool:
        return self.status in TERMINAL


def runs_progress(run_ids: Sequence[str]) -> list[Progress]:
    """Status and last event of each run, in one statement; unknown ids are left out."""
    with connection.cursor() as cursor:
        cursor.execute(_PROGRESS, [list(run_ids)])
        return [
            Progress(str(run_id), status, attempt, Position(last_attempt or 0, last_seq or 0))
            for run_id, status, attempt, last_attempt, last_seq in cursor.fetchall()
        ]


_PROGRESS = """
SELECT r.id, r.status, r.attempt, e.attempt, e.seq FROM runs_run r
LEFT JOIN LATERAL (
    SELECT attempt, seq FROM runs_runevent WHERE run_id = r.id
    ORDER BY attempt DESC, seq DESC LIMIT 1
) e ON true
WHERE r.id = ANY(%s::uuid[])
"""


def run_spec(run: Run) -> RunSpec:
    """Everything that core needs to execute the run, from the row alone."""
    return RunSpec(
        task=TaskSpec(query=run.query, reference=run.reference, **run.task_details),
        method=run.method,
        method_config=run.method_config,
        endpoint=EndpointSpec.model_validate(run.endpoint_spec),
        endpoints=tuple(map(EndpointSpec.model_validate, run.endpoint_specs)),
        pool=pool_spec(run.pool_version_id),
        profiles=own_profiles(run.profiles_id),
        checkpoint=run.checkpoint or None,
        seed=run.seed,
        budget=Budget.model_validate(run.budget),
        stream=run.evaluation_id is None,  # nobody watches the text of a batch as it comes
        control=control_spec(run),
        spent=spent_before(run),
        earlier=earlier_of(run),
    )

"""What a training's calls may take is in Postgres before they leave. Others stay as they are."""

import asyncio
from uuid import UUID

import psycopg
import pytest
from asgiref.sync import async_to_sync

from apps.training.lifecycle import Fenced, training_claim
from apps.training.models import TrainingJob
from workers.tasks import store
from workers.tasks.learning import promises as promises_module
from workers.tasks.learning.promises import Promises
from workers.tasks.store import connect

pytestmark = pytest.mark.django_db(transaction=True)

Most = tuple[int, float]


@pytest.fixture
def job() -> TrainingJob:
    made = TrainingJob.objects.create(name="Mine", method="learner")
    claimed = training_claim(job_id=made.id, worker="w")
    assert claimed is not None
    return claimed


def promised(job_id: UUID) -> Most:
    tokens, cost = TrainingJob.objects.values_list("promised_tokens", "promised_cost").get(
        id=job_id
    )
    return tokens, cost


def keep(job: TrainingJob, attempt: int, *said: Most) -> list[Most]:
    """Promised all at once by one attempt; what was read for each write."""
    read: list[Most] = []

    def most() -> Most:
        read.append(said[-1])
        return said[-1]

    async def go() -> None:
        promises = Promises(job.id, attempt)
        try:
            await asyncio.gather(*(promises(most) for _ in said))
        finally:
            await promises.close()

    async_to_sync(go)()
    return read


def test_calls_that_leave_together_share_a_write(job: TrainingJob) -> None:
    read = keep(job, 1, *[(number, number / 4) for number in range(1, 41)])
    assert promised(job.id) == (40, 10.0)
    assert len(read) <= 2


def test_a_later_promise_may_be_smaller(job: TrainingJob) -> None:
    """The calls are answered by then."""
    keep(job, 1, (900, 0.5))
    keep(job, 1, (300, 0.25))
    assert promised(job.id) == (300, 0.25)


@pytest.mark.parametrize("attempt", [0, 2])
def test_another_s_job_is_left_alone(job: TrainingJob, attempt: int) -> None:
    with pytest.raises(Fenced):
        keep(job, attempt, (900, 0.5))
    assert promised(job.id) == (0, 0.0)


def test_calls_wait_while_postgres_is_away(
    job: TrainingJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    async def away_twice() -> psycopg.AsyncConnection[object]:
        tries.append(1)
        if len(tries) < 3:
            raise psycopg.OperationalError("away")
        return await connect()

    monkeypatch.setattr(store, "connect", away_twice)
    monkeypatch.setattr(promises_module, "AWAY_SECONDS", 0.01)
    keep(job, 1, (900, 0.5))
    assert (promised(job.id), len(tries)) == ((900, 0.5), 3)

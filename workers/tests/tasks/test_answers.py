"""Answers kept in Postgres: for other processes, within bounds, and never in the way."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from apps.llms.answers import answers_bound
from apps.llms.models import CachedAnswer
from workers.core.llm.cache import result_to_bytes
from workers.core.llm.types import ChatResult, ToolCall
from workers.core.specs import Usage
from workers.tasks import answers as answers_module
from workers.tasks.answers import StoredAnswers
from workers.tests.tasks.conftest import in_database

pytestmark = pytest.mark.django_db(transaction=True)

RESULT = ChatResult(
    text="42 \x00 \u2603",
    finish_reason="stop",
    usage=Usage(prompt_tokens=3, completion_tokens=1, cost=0.1),
    seconds=0.5,
    tool_calls=(ToolCall("c", "calculator", "{}"),),
)
KEY = "k" * 64


@asynccontextmanager
async def process() -> AsyncIterator[StoredAnswers]:
    """It shares nothing with another one but Postgres."""
    store = StoredAnswers()
    yield store
    await store.close()


@pytest.fixture
async def answers() -> AsyncIterator[StoredAnswers]:
    async with process() as store:
        yield store


async def test_another_process_finds_it_whole_and_the_first_answer_stays(
    answers: StoredAnswers,
) -> None:
    async with process() as elsewhere, process() as third:
        assert await elsewhere.get(KEY) is None
        await answers.put(KEY, RESULT)
        await elsewhere.put(KEY, replace(RESULT, text="other"))
        assert await third.get(KEY) == RESULT == await answers.get(KEY)


async def test_memory_spares_postgres(answers: StoredAnswers) -> None:
    await answers.put(KEY, RESULT)
    await in_database(CachedAnswer.objects.all().delete)
    assert await answers.get(KEY) == RESULT


async def test_many_at_once_share_a_connection(answers: StoredAnswers) -> None:
    keys = [f"{number:064d}" for number in range(200)]
    await asyncio.gather(*(answers.put(key, RESULT) for key in keys))
    async with process() as fresh:
        found = await asyncio.gather(*(fresh.get(key) for key in keys))
    assert found == [RESULT] * 200


async def test_its_use_is_told_by_the_hour(answers: StoredAnswers) -> None:
    await answers.put(KEY, RESULT)

    async def used() -> Any:
        async with process() as other:
            await other.get(KEY)
        return await in_database(lambda: CachedAnswer.objects.get().used_at)

    fresh = await used()
    assert await used() == fresh
    old = timezone.now() - timedelta(hours=2)
    await in_database(lambda: CachedAnswer.objects.update(used_at=old))
    assert await used() > old + timedelta(hours=1)


@pytest.mark.parametrize("payload", [b"", b"{}", b"\xff", b"[1]", b'{"text": "t"}'])
async def test_what_cannot_be_read_is_no_answer(answers: StoredAnswers, payload: bytes) -> None:
    now = timezone.now()
    await in_database(lambda: CachedAnswer.objects.create(key=KEY, payload=payload, used_at=now))
    assert await answers.get(KEY) is None


async def test_without_postgres_nothing_fails_and_nobody_waits(
    answers: StoredAnswers, settings: Settings
) -> None:
    settings.DATABASES = {"default": {**settings.DATABASES["default"], "HOST": "/nowhere"}}
    began = time.monotonic()
    for number in range(50):
        key = f"{number:064d}"
        assert await answers.get(key) is None
        await answers.put(key, RESULT)
        assert await answers.get(key) == RESULT
    assert time.monotonic() - began < 10


async def test_it_comes_back_with_postgres(
    answers: StoredAnswers, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(answers_module, "AWAY_SECONDS", 0.0)
    there = settings.DATABASES
    settings.DATABASES = {"default": {**there["default"], "HOST": "/nowhere"}}
    await answers.put(KEY, RESULT)
    settings.DATABASES = there
    await answers.put("l" * 64, RESULT)
    assert await in_database(CachedAnswer.objects.count) == 1


async def test_a_huge_answer_is_not_stored(answers: StoredAnswers) -> None:
    await answers.put(KEY, replace(RESULT, text="x" * 2_000_000))
    assert await in_database(CachedAnswer.objects.count) == 0


class TestBounds:
    def fill(self, count: int) -> None:
        now, payload = timezone.now(), result_to_bytes(RESULT)
        CachedAnswer.objects.bulk_create(
            CachedAnswer(
                key=f"{number:064d}", payload=payload, used_at=now - timedelta(days=number)
            )
            for number in range(count)
        )

    def left(self) -> list[int]:
        return sorted(int(key) for key in CachedAnswer.objects.values_list("key", flat=True))

    def test_by_rows_the_longest_unused_go(self, settings: Settings) -> None:
        settings.ANSWERS_MAX_ROWS = 3
        self.fill(5)
        assert answers_bound() == 2
        assert self.left() == [0, 1, 2]
        assert answers_bound() == 0

    def test_by_bytes(self, settings: Settings) -> None:
        settings.ANSWERS_MAX_BYTES = 2 * len(result_to_bytes(RESULT)) + 1
        self.fill(5)
        assert answers_bound() == 3
        assert self.left() == [0, 1]

    def test_within_the_bounds_all_stay(self) -> None:
        self.fill(5)
        assert answers_bound() == 0

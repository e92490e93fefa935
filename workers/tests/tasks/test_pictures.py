"""Pictures of pages in Postgres: beside their run, bounded, and never in the way."""

import asyncio
from collections.abc import AsyncIterator, Callable
from uuid import UUID, uuid4

import pytest
from pytest_django import Settings

from apps.runs.models import Run, RunPicture
from workers.core.testing.stub_web import Said, site
from workers.core.tools.base import ToolLimits
from workers.core.tools.pictures import PICTURES_MAX, is_picture
from workers.core.tools.settings import ToolSettings
from workers.core.tools.toolbox import Toolbox
from workers.tasks.pictures import PictureStore

from .conftest import in_database

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def store() -> AsyncIterator[PictureStore]:
    store = PictureStore()
    yield store
    await store.close()


async def of(run: Run) -> dict[UUID, bytes]:
    found = await in_database(lambda: list(RunPicture.objects.filter(run=run)))
    return {picture.id: bytes(picture.jpeg) for picture in found}


async def test_what_a_browser_shows_is_kept_beside_the_run(
    claimed_run: Callable[..., Run], store: PictureStore
) -> None:
    run = await in_database(claimed_run)
    async with site({"/": Said(b"<title>Rivers</title><p>The Elbe")}) as web:
        toolbox = Toolbox(ToolSettings(pages_url=web.url))
        async with toolbox.opened({}, store.of_run(str(run.id))) as tools:
            asked = {"action": "open", "address": web.url}
            result = await tools["browser"].run(asked, ToolLimits())
    ((picture, jpeg),) = (await of(run)).items()
    assert picture == result.picture
    assert is_picture(jpeg)


async def test_the_same_picture_is_kept_once_and_the_limit_holds(
    claimed_run: Callable[..., Run], store: PictureStore
) -> None:
    run = await in_database(claimed_run)
    pictures, again = store.of_run(str(run.id)), store.of_run(str(run.id))
    first = await pictures.keep(b"0")
    assert first == await pictures.keep(b"0") == await again.keep(b"0")
    for number in range(1, PICTURES_MAX):
        assert pictures.wanted
        await pictures.keep(str(number).encode())
    assert not pictures.wanted
    assert len(await of(run)) == PICTURES_MAX
    assert await store.of_run(str(uuid4())).keep(b"0") != first, "ids of runs differ"


async def test_a_run_that_has_ended_gets_no_more(
    claimed_run: Callable[..., Run], store: PictureStore
) -> None:
    run = await in_database(claimed_run)
    await in_database(lambda: Run.objects.filter(id=run.id).update(status="waiting"))
    await store.of_run(str(run.id)).keep(b"0")
    assert await of(run) == {}


async def test_without_postgres_a_run_goes_on(
    settings: Settings, caplog: pytest.LogCaptureFixture, store: PictureStore
) -> None:
    there = settings.DATABASES["default"]
    settings.DATABASES = {"default": {**there, "HOST": "/nowhere"}}
    pictures = store.of_run(str(uuid4()))
    async with asyncio.timeout(10):
        assert await pictures.keep(b"0") is None
    assert pictures.wanted
    assert "Postgres keeps no pictures" in caplog.text

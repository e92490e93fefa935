"""How many long answers a user may have under way."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import pytest

from apps.common.errors import ApplicationError
from apps.common.under_way import UnderWay

USER = uuid4()


@pytest.fixture
def under_way() -> UnderWay:
    return UnderWay("%(limit)s imports.", code="too_many_imports", remedy="Wait.")


def test_the_limit_is_of_one_user_and_of_what_is_under_way(under_way: UnderWay) -> None:
    with under_way.counted(USER, 1):
        with pytest.raises(ApplicationError) as caught, under_way.counted(USER, 1):
            pass
        assert (caught.value.code, caught.value.status_code) == ("too_many_imports", 429)
        assert caught.value.message == "1 imports."
        with under_way.counted(uuid4(), 1):
            pass
    with under_way.counted(USER, 1):
        pass
    assert USER not in under_way


def test_of_many_threads_no_more_than_the_limit_get_in(under_way: UnderWay) -> None:
    together = Barrier(20)

    def enter(_: int) -> bool:
        together.wait(20)
        try:
            with under_way.counted(USER, 3):
                together.wait(20)
        except ApplicationError:
            together.wait(20)
            return False
        return True

    with ThreadPoolExecutor(20) as threads:
        assert sum(threads.map(enter, range(20))) == 3

"""Small assertions that tests of every folder of the core share."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


def known(value: T | None) -> T:
    """The value, which is there."""
    assert value is not None
    return value


def of_kind(kind: type[T], value: object) -> T:
    """The value, which is of this class."""
    assert isinstance(value, kind), value
    return value


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What is done inside takes less CPU time of this process."""
    began = time.process_time()
    yield
    assert time.process_time() - began < seconds

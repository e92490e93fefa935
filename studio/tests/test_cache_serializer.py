"""Only what the studio itself put into Redis comes out of it."""

import pickle
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.cache import cache, caches

from studio.cache_serializer import NOT_OURS, SignedSerializer


@dataclass(frozen=True)
class Kept:
    name: str


class Evil:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (pytest.fail, ("this was run",))


@pytest.mark.parametrize("value", [0, -7, True, "text", b"bytes", None, [1], {"a": Kept("b")}])
def test_what_is_kept_comes_back(value: object) -> None:
    serializer = SignedSerializer()
    kept = serializer.dumps(value)
    data = str(kept).encode() if isinstance(kept, int) else kept
    found = serializer.loads(data)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "data",
    [pickle.dumps(Evil()), b"x" * 32 + pickle.dumps(Evil()), b"", b"short"],
    ids=["a bare pickle", "a false signature", "nothing", "a few bytes"],
)
def test_what_others_wrote_is_not_there(data: bytes) -> None:
    assert SignedSerializer().loads(data) is NOT_OURS


def test_a_value_that_was_changed_is_not_there() -> None:
    kept = SignedSerializer().dumps("right")
    assert isinstance(kept, bytes)
    assert SignedSerializer().loads(kept[:-3] + b"xyz") is NOT_OURS


def test_the_cache_signs_and_still_counts() -> None:
    cache.set("test:signed", Kept("one"), 5)
    assert cache.get("test:signed") == Kept("one")
    cache.set("test:count", 1, 5)
    assert cache.incr("test:count") == 2
    raw = vars(caches["default"])["_cache"].get_client()  # of Django's Redis cache
    raw.set(cache.make_key("test:evil"), pickle.dumps(Evil()))
    assert cache.get("test:evil", "another") == "another"
    assert cache.get_many(["test:evil", "test:signed"]) == {"test:signed": Kept("one")}
    cache.delete("test:evil")

"""A stand-in that the tests get for an object in the program's process."""

from collections.abc import Sequence
from typing import Any

from workers.core.benchmarks.verifiers.judge.channel import Channel, Message
from workers.core.benchmarks.verifiers.judge.containers import containers


class Asking(Channel):
    """A channel whose replies are values, or raise."""

    def value(self, reply: Message, given: Sequence[Any] = ()) -> Any:
        raise NotImplementedError


class Remote:
    """The program does not get comparisons or operations with a value of the tests: it would learn
    what is expected, and could claim anything."""

    __slots__ = ("_id", "_side")
    _id: int
    _side: Asking

    def __init__(self, side: Asking, place: int) -> None:
        object.__setattr__(self, "_side", side)
        object.__setattr__(self, "_id", place)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        side = self._side
        given = containers([*args, *kwargs.values()])
        reply = side.ask(
            op="call",
            id=self._id,
            args=[side.encode(item) for item in args],
            kwargs={name: side.encode(item) for name, item in kwargs.items()},
        )
        return side.value(reply, given)

    def __getattr__(self, name: str) -> Any:
        return self._side.value(self._side.ask(op="get", id=self._id, name=name))

    def __setattr__(self, name: str, value: Any) -> None:
        side = self._side
        side.value(side.ask(op="set", id=self._id, name=name, value=side.encode(value)))

    def _apply(self, name: str, *args: Any) -> Any:
        side = self._side
        values = [side.encode(item) for item in args]
        return side.value(side.ask(op="apply", id=self._id, name=name, args=values))

    def _with(self, name: str, other: Any) -> Any:
        return self._apply(name, other) if isinstance(other, Remote) else NotImplemented

    def __len__(self) -> Any:
        return self._apply("len")

    def __iter__(self) -> Any:
        return self._apply("iter")

    def __next__(self) -> Any:
        reply = self._side.ask(op="apply", id=self._id, name="next", args=[])
        if reply.get("error") == "StopIteration":  # here alone it ends anything
            raise StopIteration
        return self._side.value(reply)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, Remote) and self._apply("isinstance", instance) is True

    def __subclasscheck__(self, other: Any) -> bool:
        return isinstance(other, Remote) and self._apply("issubclass", other) is True

    def __enter__(self) -> Any:
        return self._apply("enter")

    def __exit__(self, *raised: object) -> None:
        """It does not learn what the tests raise, and can't suppress it."""
        self._apply("exit")

    def __str__(self) -> Any:
        return self._apply("str")

    def __repr__(self) -> Any:
        return self._apply("repr")

    def __bool__(self) -> Any:
        return self._apply("bool")

    def __getitem__(self, index: Any) -> Any:
        return self._apply("getitem", index)

    def __eq__(self, other: object) -> Any:
        return self._with("eq", other)

    def __lt__(self, other: Any) -> Any:
        return self._with("lt", other)

    def __add__(self, other: Any) -> Any:
        return self._with("add", other)

    def __sub__(self, other: Any) -> Any:
        return self._with("sub", other)

    def __mul__(self, other: Any) -> Any:
        return self._with("mul", other)

    def __hash__(self) -> Any:
        return self._apply("hash")

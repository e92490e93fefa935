"""The line between a training and rank 0: calls one way, what became of them the other way."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """`name`: of an engine's method or attribute, or MAKE."""

    name: str
    args: tuple[Any, ...] = ()


MAKE = "make"
"""Its argument makes the engine."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A MethodError with `code`, or an OSError with `number`."""

    message: str
    code: str = ""
    remedy: str = ""
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    value: Any = None
    failed: Failed | None = None


class Line:
    """Raises EOFError and OSError once the other side is gone."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def send(self, said: Call | Answer) -> None:
        # pickle by itself: multiprocessing would lend tensors by shared memory.
        self._connection.send_bytes(pickle.dumps(said))

    def has_answer(self, seconds: float) -> bool:
        """Waits for it at most so long."""
        return self._connection.poll(seconds)

    def receive(self) -> Any:
        # The socket lies in a folder that only this user can enter.
        return pickle.loads(self._connection.recv_bytes())  # noqa: S301

    def close(self) -> None:
        self._connection.close()

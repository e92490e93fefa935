"""JSON lines over two pipes, and Python values as JSON."""

import builtins
import collections
import datetime
import decimal
import fractions
import json
import os
from collections.abc import Callable
from typing import Any

from workers.core.benchmarks.verifiers.judge.containers import PLAIN

MAX_LINE = 32 * 1024 * 1024
MAX_INT = 2**63
"""Larger integers are sent as hexadecimal digits, which take linear time."""
TEXTUAL: dict[str, Any] = {"Decimal": decimal.Decimal, "Fraction": fractions.Fraction}
MOMENTS: dict[str, Any] = {
    "datetime": datetime.datetime,  # before date, which it is derived from
    "date": datetime.date,
    "time": datetime.time,
}
BYTES: dict[str, Any] = {"bytes": bytes, "bytearray": bytearray}
MAPPINGS: dict[str, Any] = {
    "Counter": collections.Counter,
    "OrderedDict": collections.OrderedDict,
    "dict": dict,
}
SEQUENCES: dict[str, Any] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "deque": collections.deque,
}
VIEWS: dict[str, Any] = {
    "keys": type({}.keys()),
    "values": type({}.values()),
    "items": type({}.items()),
}

Message = dict[str, Any]


class Ended(Exception):
    """The other side is gone, or sent something that is not allowed."""


class Channel:
    """One side of the pipes. A request may be answered by a request before its reply comes.

    A value is itself (None, bool, str, float, an integer of 64 bits) or `{kind: content}`. Other
    objects are left to `encode_object` and `decode_object`. `objects` are this side's, named by
    their place. `given` are the containers of a call's arguments, in the order of `containers`:
    these places describe what the program did to them and where it put them.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self.reading = os.fdopen(reading, "rb")
        self.writing = os.fdopen(writing, "wb")
        self.objects: list[Any] = []
        self.places: dict[int, int] = {}
        self.given: dict[int, int] = {}

    def answer(self, request: Message) -> Message:
        raise NotImplementedError

    def encode_object(self, value: Any) -> Message:
        raise NotImplementedError

    def decode_object(self, kind: str, content: Any) -> Any:
        raise NotImplementedError

    def send(self, message: Message) -> None:
        self.writing.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.writing.flush()

    def receive(self) -> Message:
        line = self.reading.readline(MAX_LINE)
        message = json.loads(line) if line.endswith(b"\n") else None
        if not isinstance(message, dict):
            raise Ended
        return message

    def ask(self, **request: Any) -> Message:
        """Send a request and return its reply. Serve requests of the other side while waiting."""
        self.send(request)
        while "op" in (message := self.receive()):
            self.send(self.answer(message))
        return message

    def keep(self, value: Any) -> int:
        """The place of an object; the same for the same object."""
        place = self.places.setdefault(id(value), len(self.objects))
        if place == len(self.objects):
            self.objects.append(value)
        return place

    def kept(self, place: Any) -> Any:
        if type(place) is not int or not 0 <= place < len(self.objects):
            raise Ended
        return self.objects[place]

    def encode(self, value: Any) -> Any:
        """The value. An instance of a class derived from a plain one is sent as the plain one."""
        if type(value) in PLAIN or (type(value) is int and -MAX_INT < value < MAX_INT):
            return value
        if id(value) in self.given:
            return {"given": self.given[id(value)]}
        for kind in (str, float):
            if isinstance(value, kind):
                return kind(value)
        return (
            self._encode_number(value)
            or self._encode_moment(value)
            or self._encode_container(value)
            or self.encode_object(value)
        )

    def decode(self, data: Any) -> Any:
        if type(data) in PLAIN or type(data) is int:
            return data
        if not isinstance(data, dict) or len(data) != 1:
            raise Ended
        ((kind, content),) = data.items()
        if kind in MAPPINGS:
            return MAPPINGS[kind]({self.decode(k): self.decode(v) for k, v in content})
        if kind in SEQUENCES:
            return SEQUENCES[kind](self.decode_all(content))
        if kind in VIEWS:
            return view(kind, self.decode_all(content))
        read = READ.get(kind)
        return self.decode_object(kind, content) if read is None else read(content)

    def encode_all(self, values: Any) -> list[Any]:
        """The items of a sequence, fast for a long one of plain values."""
        types = set(map(type, values))
        if types <= PLAIN or (types == {int} and min(values) > -MAX_INT and max(values) < MAX_INT):
            return list(values)
        return [self.encode(item) for item in values]

    def decode_all(self, content: Any) -> list[Any]:
        if set(map(type, content)) <= PLAIN | {int}:
            return list(content)
        return [self.decode(item) for item in content]

    def encode_content(self, container: Any) -> list[Any]:
        """The contents of a list, deque, set or mapping."""
        if isinstance(container, dict):
            return [[self.encode(key), self.encode(value)] for key, value in container.items()]
        return self.encode_all(container)

    def _encode_number(self, value: Any) -> Message | None:
        if isinstance(value, int):
            return {"int": hex(int(value))}
        if isinstance(value, type) and value in vars(builtins).values():
            return {"type": value.__name__}
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        if isinstance(value, range):
            return {"range": [hex(part) for part in (value.start, value.stop, value.step)]}
        for name, textual in TEXTUAL.items():
            if isinstance(value, textual):
                return {name: str(value)}
        return None

    def _encode_moment(self, value: Any) -> Message | None:
        for name, moment in MOMENTS.items():
            if isinstance(value, moment):
                return {name: value.isoformat()}
        if isinstance(value, datetime.timedelta):
            return {"timedelta": [value.days, value.seconds, value.microseconds]}
        return None

    def _encode_container(self, value: Any) -> Message | None:
        for name, octets in BYTES.items():
            if isinstance(value, octets):
                return {name: bytes(value).hex()}
        for name, mapping in MAPPINGS.items():
            if isinstance(value, mapping):
                return {name: self.encode_content(value)}
        for name, sequence in (SEQUENCES | VIEWS).items():
            if isinstance(value, sequence):
                return {name: self.encode_all(value)}
        return None


def builtin_type(name: Any) -> type:
    """A built-in type such as `int`, which a test may pass on or a function may return."""
    found = vars(builtins).get(name) if isinstance(name, str) else None
    if not isinstance(found, type) or (
        issubclass(found, BaseException) and not issubclass(found, Exception)
    ):
        raise Ended
    return found


def view(kind: str, items: list[Any]) -> Any:
    """A dictionary's keys, values or items, as a view of another with the same contents."""
    if kind == "keys":
        return dict.fromkeys(items).keys()
    return dict(items).items() if kind == "items" else dict(enumerate(items)).values()


READ: dict[str, Callable[[Any], Any]] = {
    "int": lambda digits: int(digits, 16),
    "complex": lambda parts: complex(*parts),
    "range": lambda parts: range(*(int(part, 16) for part in parts)),
    "type": builtin_type,
    "bytes": bytes.fromhex,
    "bytearray": bytearray.fromhex,
    "timedelta": lambda parts: datetime.timedelta(*parts),
    **TEXTUAL,
    **{name: moment.fromisoformat for name, moment in MOMENTS.items()},
}
"""Readers of the kinds whose content has no further values."""


def failure(error: BaseException) -> Message:
    return {"error": type(error).__name__, "message": short(error)}


def short(error: BaseException) -> str:
    """An error's text. Making it can neither fail nor run without end."""
    try:
        return str(error)[:300]
    except BaseException:  # the program's own exception may do anything
        return "(its message can't be read)"

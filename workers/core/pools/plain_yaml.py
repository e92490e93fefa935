"""YAML reduced to what a person needs to write data: mappings, lists and text.

It is stricter than `yaml.safe_load` and differs in four points:

1. Every scalar is text, as written: `no`, `1e3` and `2024-05-17` are not turned into something
   else. A plain empty value, `~` or `null` is None.
2. A key that occurs twice in one mapping is an error. YAML loaders silently keep the last one.
3. Anchors, aliases and tags are errors, so no value can be larger than its text.
4. Size, depth and number of values are limited while reading, before anything is built.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from workers.core.pools.errors import Issue, PoolFormatError, path_text

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML built without libyaml: the same events, about ten times slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]  # same interface, other class

MAX_BYTES = 2_000_000
MAX_DEPTH = 8
MAX_VALUES = 100_000

Location: TypeAlias = tuple[int | str, ...]
Plain: TypeAlias = "str | list[Plain] | dict[str, Plain] | None"

NULLS = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class Document:
    """`lines` is the line, counted from 1, on which the value at a location starts."""

    value: Plain
    lines: dict[Location, int]

    def line_of(self, location: Location) -> int:
        """The line of the value, or of the nearest element around it that has one."""
        while location not in self.lines and location:
            location = location[:-1]
        return self.lines.get(location, 1)


def read_plain_yaml(text: str) -> Document:
    """One YAML document as plain values. Raises PoolFormatError for the first thing it refuses."""
    _check_size(text)
    reader = _Reader(events=_events(text.removeprefix("\ufeff")))
    return Document(value=reader.document(), lines=reader.lines)


def _check_size(text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise _refused("The file contains characters that are not valid Unicode.") from None
    if size > MAX_BYTES:
        raise _refused(
            f"The file has {size:,} bytes. The limit is {MAX_BYTES:,} bytes. Split the pool."
        )


_PAIR = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE
)
"""How JSON escapes characters beyond U+FFFF, such as emojis. YAML has no such pairs."""


def _joined(pair: re.Match[str]) -> str:
    halves = bytes.fromhex(pair[2] + pair[3])
    return pair[1] + halves.decode("utf-16-be")


def _events(text: str) -> Iterator[yaml.Event]:
    if text.lstrip().startswith("{"):  # JSON, in which a backslash is always an escape
        text = _PAIR.sub(_joined, text)
    try:
        yield from yaml.parse(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise _refused(
            f"This is not valid YAML: {error.problem or error.context}{where}."
        ) from None
    except yaml.YAMLError as error:
        reason = getattr(error, "reason", "it can't be read")
        raise _refused(f"This is not valid YAML: {reason}.") from None


def _refused(message: str, location: Location = ()) -> PoolFormatError:
    return PoolFormatError([Issue(path_text(location), message)])


@dataclass(slots=True)
class _Reader:
    events: Iterator[yaml.Event]
    lines: dict[Location, int] = field(default_factory=dict)
    count: int = 0

    def document(self) -> Plain:
        value: Plain = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _refused("The file has several YAML documents. Keep one.")
                value = self.value(next(self.events), ())
        return value

    def value(self, event: yaml.Event, location: Location) -> Plain:
        line = _line(event)
        self.lines[location] = line
        self._check(event, location, line)
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event, location, line)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(location)
        return self.mapping(location)

    def sequence(self, location: Location) -> list[Plain]:
        items: list[Plain] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self.value(event, (*location, len(items))))
        return items

    def mapping(self, location: Location) -> dict[str, Plain]:
        fields: dict[str, Plain] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.key(event, location)
            here = (*location, key)
            if key in fields:
                raise self._twice(here, fields.get("key"), _line(event))
            fields[key] = self.value(next(self.events), here)
        return fields

    def key(self, event: yaml.Event, location: Location) -> str:
        line = _line(event)
        self._check(event, location, line)
        if not isinstance(event, yaml.ScalarEvent):
            raise _refused(f"The name of a field must be text (line {line}).", location)
        return str(event.value)

    def _twice(self, location: Location, owner: Plain, line: int) -> PoolFormatError:
        who = f"Role “{owner}”" if isinstance(owner, str) and len(location) == 3 else "Pool"
        return _refused(
            f"{who}: “{location[-1]}” occurs twice, on lines {self.lines[location]} and {line}. "
            "Keep one.",
            location,
        )

    def _check(self, event: yaml.Event, location: Location, line: int) -> None:
        self.count += 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _refused(
                f"Anchors (&) and aliases (*) are not allowed (line {line}). Write the value "
                "out, or quote the text if it begins with such a sign.",
                location,
            )
        if tag := getattr(event, "tag", None):
            raise _refused(
                f"Tags such as {tag} are not allowed (line {line}). Remove the tag, or quote "
                "the text if it begins with “!”.",
                location,
            )
        if len(location) > MAX_DEPTH:
            raise _refused(f"The file is nested too deeply (line {line}).", location[:MAX_DEPTH])
        if self.count > MAX_VALUES:
            raise _refused(f"The file has more than {MAX_VALUES:,} values (line {line}).")


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _scalar(event: yaml.ScalarEvent, location: Location, line: int) -> str | None:
    text = str(event.value)
    if event.implicit[0] and text in NULLS:
        return None
    if "\0" in text:
        raise _refused(
            f"“{path_text(location)}” contains a NUL character (line {line}). Remove it.",
            location,
        )
    return text

"""The OpenAPI document as the page of the API shows it: operations by tag, and their types."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

Document = Mapping[str, Any]

LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matches {}",
    "default": "default {}",
}


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of a type's name. `schema` is the schema that it names, if any."""

    text: str
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter, or a field of a schema."""

    name: str
    type: list[Word]
    notes: SafeString
    required: bool = False
    place: str = ""
    """Where a parameter is sent: path, query or header."""


@dataclass(frozen=True, slots=True)
class Body:
    media_type: str
    type: list[Word]


@dataclass(frozen=True, slots=True)
class Answer:
    status: str
    notes: SafeString
    bodies: list[Body]


@dataclass(frozen=True, slots=True)
class Operation:
    key: str
    method: str
    path: str
    summary: str
    notes: SafeString
    parameters: list[Value]
    bodies: list[Body]
    answers: list[Answer]


@dataclass(frozen=True, slots=True)
class Schema:
    """`fields` is empty for a schema that is not an object, such as a list of allowed words."""

    name: str
    type: list[Word]
    notes: SafeString
    fields: list[Value]


@dataclass(frozen=True, slots=True)
class Reference:
    operations: dict[str, list[Operation]] = field(default_factory=dict)
    """Operations by tag, in alphabetical order."""
    schemas: list[Schema] = field(default_factory=list)


def api_reference(document: Document) -> Reference:
    operations: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            operation = _operation(method, path, said)
            operations.setdefault(said["tags"][0], []).append(operation)
    schemas = document["components"]["schemas"].items()
    return Reference(
        dict(sorted(operations.items())), [_schema(name, said) for name, said in schemas]
    )


def _operation(method: str, path: str, said: Document) -> Operation:
    return Operation(
        key=said["operationId"],
        method=method.upper(),
        path=path,
        summary=said.get("summary", ""),
        notes=_prose(said),
        parameters=[
            Value(
                name=parameter["name"],
                type=type_of(parameter["schema"]),
                notes=_prose(parameter, parameter["schema"]),
                required=parameter.get("required", False),
                place=parameter["in"],
            )
            for parameter in said.get("parameters", ())
        ],
        bodies=_bodies(said.get("requestBody", {})),
        answers=[
            Answer(status, _prose(answer), _bodies(answer))
            for status, answer in sorted(said["responses"].items())
        ],
    )


def _bodies(said: Document) -> list[Body]:
    return [
        Body(media_type, type_of(content.get("schema", {})))
        for media_type, content in said.get("content", {}).items()
    ]


def _schema(name: str, said: Document) -> Schema:
    required = said.get("required", ())
    fields = [
        Value(key, type_of(field), _prose(field, field), required=key in required)
        for key, field in said.get("properties", {}).items()
    ]
    return Schema(name, type_of(said), _prose(said), fields)


def type_of(schema: Document) -> list[Word]:
    """`list of Role or null` as words, some of which link to a schema."""
    words = _named(schema)
    return [*words, Word(" or null")] if schema.get("nullable") else words


def _named(schema: Document) -> list[Word]:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return [Word(name, name)]
    for key, between in (("allOf", " and "), ("oneOf", " or "), ("anyOf", " or ")):
        if key in schema:
            return _joined((type_of(part) for part in schema[key]), between)
    if "enum" in schema:
        return [Word(" | ".join(json.dumps(value) for value in schema["enum"]))]
    if schema.get("type") == "array":
        return [Word("list of "), *type_of(schema.get("items", {}))]
    if isinstance(schema.get("additionalProperties"), dict):
        return [Word("names to "), *type_of(schema["additionalProperties"])]
    kind = schema.get("type", "anything")
    return [Word(f"{kind} ({schema['format']})" if "format" in schema else kind)]


def _joined(types: Iterable[list[Word]], between: str) -> list[Word]:
    words: list[Word] = []
    for each in types:
        words += [Word(between), *each] if words else each
    return words


def _prose(said: Document, limited: Document | None = None) -> SafeString:
    """The description, then the limits."""
    limits = limited or {}
    told = [text.format(limits[key]) for key, text in LIMITS.items() if key in limits]
    if limits.get("readOnly"):
        told.append("read only")
    text = "\n".join(part for part in (said.get("description", ""), ", ".join(told)) if part)
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return mark_safe(marked.replace("\n", "<br>"))  # noqa: S308  escaped above

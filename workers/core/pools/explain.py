"""Turns validation errors of a pool into sentences for the writer of the file."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from workers.core.pools.compare import FIELDS
from workers.core.pools.errors import Issue, path_text
from workers.core.pools.plain_yaml import Document, Location
from workers.core.specs import PoolSpec

Sentence = Callable[[str, ErrorDetails], str]


def explain(error: ValidationError, document: Document) -> list[Issue]:
    """One issue for each error that pydantic found, in the order of the file."""
    details = error.errors(include_url=False)
    return [_issue(detail, document) for detail in details]


def issue_at(location: Location, sentence: str, document: Document) -> Issue:
    """`sentence` begins in lower case. The role and the line are added around it."""
    text = f"{_owner(location, document)}: {sentence} (line {document.line_of(location)})."
    return Issue(path_text(location), text)


def _issue(detail: ErrorDetails, document: Document) -> Issue:
    location = detail["loc"]
    field = _field(location)
    sentence = SENTENCES.get(detail["type"], _other)(field, detail)
    return issue_at(location, sentence, document)


def _owner(location: Location, document: Document) -> str:
    match location:
        case ("roles", int(index), *_):
            return f"Role {_role_name(index, document)}"
        case _:
            return "Pool"


def _role_name(index: int, document: Document) -> str:
    root = document.value
    roles = root.get("roles") if isinstance(root, dict) else None
    role = roles[index] if isinstance(roles, list) else None
    key = role.get("key") if isinstance(role, dict) else None
    return f"“{key[:63]}”" if isinstance(key, str) and key else f"number {index + 1}"


def _field(location: Location) -> str:
    inner = location[2:] if location[:1] == ("roles",) and len(location) > 1 else location
    return path_text(inner) if inner else "it"


def _missing(field: str, _: ErrorDetails) -> str:
    return f"the field “{field}” is missing"


def _unknown(field: str, detail: ErrorDetails) -> str:
    names = ["key", *FIELDS] if detail["loc"][0] == "roles" else list(PoolSpec.model_fields)
    close = get_close_matches(field, names, n=1)
    hint = f"perhaps you mean “{close[0]}”" if close else f"the fields are {', '.join(names)}"
    return f"there is no field “{field[:80]}”; {hint}"


def _not_text(field: str, detail: ErrorDetails) -> str:
    if detail["input"] is None:
        return f"“{field}” has no value. Add one, or remove the field"
    return f"“{field}” must be text, not {_kind(detail['input'])}"


def _not_list(field: str, detail: ErrorDetails) -> str:
    return f"“{field}” must be a list with one item after each “-”, not {_kind(detail['input'])}"


def _not_mapping(field: str, detail: ErrorDetails) -> str:
    return f"{field} must be fields such as “key: …”, not {_kind(detail['input'])}"


def _not_slug(field: str, detail: ErrorDetails) -> str:
    shown = str(detail["input"])[:80]
    return (
        f"“{field}” must have 1 to 63 lower-case letters, digits, “_” or “-”, and begin with a "
        f"letter or digit; “{shown}” does not"
    )


def _other(field: str, detail: ErrorDetails) -> str:
    return f"“{field}” is not valid: {detail['msg']}"


def _kind(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case _:
            return "a text"


def _context(detail: ErrorDetails, name: str) -> Any:
    return detail.get("ctx", {}).get(name)


SENTENCES: dict[str, Sentence] = {
    "missing": _missing,
    "extra_forbidden": _unknown,
    "string_type": _not_text,
    "string_too_short": lambda field, _: f"“{field}” must not be empty",
    "string_too_long": lambda field, detail: (
        f"“{field}” has {len(detail['input']):,} characters; "
        f"at most {_context(detail, 'max_length'):,} are allowed"
    ),
    "string_pattern_mismatch": _not_slug,
    "tuple_type": _not_list,
    "model_type": _not_mapping,
    "int_type": lambda field, _: f"“{field}” must be a whole number",
    "int_parsing": lambda field, _: f"“{field}” must be a whole number",
    "int_parsing_size": lambda field, _: f"“{field}” is too large",
    "int_from_float": lambda field, _: f"“{field}” must be a whole number",
    "greater_than_equal": lambda field, d: f"“{field}” must be at least {_context(d, 'ge')}",
    "less_than_equal": lambda field, d: f"“{field}” must be at most {_context(d, 'le'):,}",
    "value_error": lambda _, detail: str(_context(detail, "error")),
}
"""pydantic's error type → a sentence without its first capital and its full stop."""

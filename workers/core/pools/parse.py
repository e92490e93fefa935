"""Reads a pool from YAML text, or gives all reasons why it is not a pool."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import ValidationError

from workers.core.pools.errors import Issue, PoolFormatError
from workers.core.pools.explain import explain, issue_at
from workers.core.pools.plain_yaml import Document, Plain, read_plain_yaml
from workers.core.specs import PoolSpec

MAX_ROLES = 2_000
MAX_ITEMS = 50
"""Item limit of a role's list."""
MAX_CAPABILITY_CHARS = 200

WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
"""The field that says whether a role is enabled."""


@dataclass(frozen=True, slots=True)
class PoolFile:
    """A pool as in its file: `spec` with all its roles, and in `switches`, by key, whether a role
    is enabled, if the file says so."""

    spec: PoolSpec
    switches: Mapping[str, bool] = field(default_factory=dict)


def parse_pool_yaml(text: str, *, known_tools: Collection[str]) -> PoolFile:
    """The pool that `text` describes. All its tools are in `known_tools`.

    Raises PoolFormatError with one sentence for each problem, with role, field and line. Limits are
    2 MB and 2,000 roles. A file without roles is refused, because importing it would empty a pool.
    """
    return pool_of(read_plain_yaml(text), known_tools=known_tools)


def pool_of(document: Document, *, known_tools: Collection[str]) -> PoolFile:
    """The pool in a file of any format. Raises PoolFormatError as above."""
    if problem := _unusable(document.value):
        raise PoolFormatError([problem])
    repeated = list(_repeated_keys(document))
    issues = [
        *repeated,
        *_unknown_tools(document, known_tools),
        *_too_much(document),
        *_no_switches(document),
    ]
    try:
        pool = PoolSpec.model_validate(_without_switches(document.value))
    except ValidationError as error:
        # The pool's own rule on repeated keys is said better, with the lines, by `repeated`.
        found = [
            issue for issue in explain(error, document) if issue.path != "file" or not repeated
        ]
        raise PoolFormatError([*found, *issues]) from None
    if issues:
        raise PoolFormatError(issues)
    return PoolFile(pool, _switches(document))


def _unusable(root: Plain) -> Issue | None:
    """Raise for problems that make checking field by field useless."""
    if root is None:
        return Issue("file", "The file is empty. A pool needs a key, a name and roles.")
    if not isinstance(root, dict):
        return Issue("file", "The file must have the fields key, name and roles.")
    roles = root.get("roles")
    if "roles" in root and not roles:
        return Issue("roles", "The pool has no roles. Add at least one under “roles”.")
    if isinstance(roles, list) and len(roles) > MAX_ROLES:
        return Issue("roles", f"The pool has {len(roles):,} roles. The limit is {MAX_ROLES:,}.")
    return None


def _repeated_keys(document: Document) -> Iterator[Issue]:
    first: dict[str, int] = {}
    for index, role in _roles(document.value):
        key = role.get("key")
        if not isinstance(key, str):
            continue
        if key in first:
            line = document.line_of(("roles", first[key], "key"))
            sentence = f"another role, on line {line}, has the same key"
            yield issue_at(("roles", index, "key"), sentence, document)
        first.setdefault(key, index)


def _unknown_tools(document: Document, known_tools: Collection[str]) -> Iterator[Issue]:
    known = ", ".join(sorted(known_tools)) or "none"
    for index, role in _roles(document.value):
        tools = role.get("tools")
        for position, tool in enumerate(tools if isinstance(tools, list) else []):
            if isinstance(tool, str) and tool not in known_tools:
                sentence = f"there is no tool “{tool[:80]}”; the tools are: {known}"
                yield issue_at(("roles", index, "tools", position), sentence, document)


def _too_much(document: Document) -> Iterator[Issue]:
    """Limits for a new role, which are stricter than for reading stored ones."""
    for index, role in _roles(document.value):
        for name in ("capabilities", "tools"):
            items = role.get(name)
            if isinstance(items, list) and len(items) > MAX_ITEMS:
                sentence = f"“{name}” has {len(items):,} items; at most {MAX_ITEMS} are allowed"
                yield issue_at(("roles", index, name), sentence, document)
        capabilities = role.get("capabilities")
        for place, item in enumerate(capabilities if isinstance(capabilities, list) else []):
            if isinstance(item, str) and len(item) > MAX_CAPABILITY_CHARS:
                sentence = (
                    f"“capabilities[{place}]” has {len(item):,} characters; "
                    f"at most {MAX_CAPABILITY_CHARS} are allowed"
                )
                yield issue_at(("roles", index, "capabilities", place), sentence, document)


def _switches(document: Document) -> dict[str, bool]:
    return {
        str(role["key"]): said
        for _, role in _roles(document.value)
        if (said := _switch(role)) is not None
    }


def _no_switches(document: Document) -> Iterator[Issue]:
    for index, role in _roles(document.value):
        if "enabled" in role and _switch(role) is None:
            sentence = "“enabled” must be yes or no"
            yield issue_at(("roles", index, "enabled"), sentence, document)


def _switch(role: dict[str, Plain]) -> bool | None:
    word = role.get("enabled")
    return WORDS.get(word.strip().lower()) if isinstance(word, str) else None


def _without_switches(root: Plain) -> Plain:
    """Remove whether roles are enabled, which is not part of a `RoleSpec`."""
    roles = root.get("roles") if isinstance(root, dict) else None
    if not isinstance(root, dict) or not isinstance(roles, list):
        return root
    said: list[Plain] = [
        {name: value for name, value in role.items() if name != "enabled"}
        if isinstance(role, dict)
        else role
        for role in roles
    ]
    return {**root, "roles": said}


def _roles(root: Plain) -> Iterator[tuple[int, dict[str, Plain]]]:
    roles = root.get("roles") if isinstance(root, dict) else None
    for index, role in enumerate(roles if isinstance(roles, list) else []):
        if isinstance(role, dict):
            yield index, role

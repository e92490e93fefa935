"""From YAML text to a pool, or to every reason why it is none."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pydantic import ValidationError

from workers.core.pools.errors import Issue, PoolFormatError
from workers.core.pools.explain import explain, issue_at
from workers.core.pools.plain_yaml import Document, Plain, read_plain_yaml
from workers.core.specs import PoolSpec

MAX_ROLES = 2_000


def parse_pool_yaml(text: str, *, known_tools: Collection[str]) -> PoolSpec:
    """The pool that `text` describes; its tools are all in `known_tools`.

    Raises PoolFormatError with one sentence for each problem, naming role, field and line. At most
    2 MB, 2,000 roles; a file without any role is refused, since importing it would empty a pool.
    """
    return pool_of(read_plain_yaml(text), known_tools=known_tools)


def pool_of(document: Document, *, known_tools: Collection[str]) -> PoolSpec:
    """The pool that a file holds, whatever its format. Raises PoolFormatError as above."""
    if problem := _unusable(document.value):
        raise PoolFormatError([problem])
    repeated = list(_repeated_keys(document))
    issues = [*repeated, *_unknown_tools(document, known_tools)]
    try:
        pool = PoolSpec.model_validate(document.value)
    except ValidationError as error:
        # The pool's own rule on repeated keys is said better, with the lines, by `repeated`.
        found = [
            issue for issue in explain(error, document) if issue.path != "file" or not repeated
        ]
        raise PoolFormatError([*found, *issues]) from None
    if issues:
        raise PoolFormatError(issues)
    return pool


def _unusable(root: Plain) -> Issue | None:
    """What makes the file as a whole not worth checking field by field."""
    if root is None:
        return Issue("file", "The file is empty; a pool has a key, a name and roles.")
    if not isinstance(root, dict):
        return Issue("file", "The file must be a mapping with the fields key, name and roles.")
    roles = root.get("roles")
    if "roles" in root and not roles:
        return Issue("roles", "The pool has no roles; write at least one under “roles”.")
    if isinstance(roles, list) and len(roles) > MAX_ROLES:
        return Issue("roles", f"The pool has {len(roles):,} roles; at most {MAX_ROLES:,} are read.")
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


def _roles(root: Plain) -> Iterator[tuple[int, dict[str, Plain]]]:
    roles = root.get("roles") if isinstance(root, dict) else None
    for index, role in enumerate(roles if isinstance(roles, list) else []):
        if isinstance(role, dict):
            yield index, role

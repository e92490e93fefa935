"""Writes a pool as YAML that is easy to edit: block texts, short lists on one line."""

import re
from collections.abc import Mapping

import yaml

from workers.core.specs import PoolSpec, RoleSpec

try:
    from yaml import CSafeDumper as _BaseDumper
except ImportError:  # PyYAML built without libyaml
    from yaml import SafeDumper as _BaseDumper  # type: ignore[assignment]  # same interface

WIDTH = 92
"""libyaml breaks a line after this column, not before it."""

FOLDED = re.compile(r"\S+(?: \S+)*")


class _PoolDumper(_BaseDumper):
    """PyYAML's safe dumper, with the two representers registered at the end."""


class _TextList(list[str]):
    """Capabilities or tools: `[a, b]` if it fits on a line."""


def dump_pool_yaml(pool: PoolSpec, *, switches: Mapping[str, bool] | None = None) -> str:
    """The pool as YAML. `parse_pool_yaml` gives the same pool back. Empty fields are omitted.
    `switches`: whether a role is enabled; only disabled roles say so.

    A pool without roles, or with a NUL in a text, can be dumped, but parsing refuses it.
    """
    data = {
        "key": pool.key,
        "name": pool.name,
        **({"description": pool.description} if pool.description else {}),
        "version": pool.version,
        "roles": [_role(role, enabled=(switches or {}).get(role.key, True)) for role in pool.roles],
    }
    text = yaml.dump(
        data, Dumper=_PoolDumper, sort_keys=False, allow_unicode=True, width=WIDTH, indent=2
    )
    # Only the start of a role stands at the left margin, so no text can look like one.
    first, start, others = text.partition("\n- key: ")
    return first + start + others.replace("\n- key: ", "\n\n- key: ")


def _role(role: RoleSpec, *, enabled: bool) -> dict[str, str | bool | _TextList]:
    values = ((name, getattr(role, name)) for name in RoleSpec.model_fields)
    said = {
        name: _TextList(value) if isinstance(value, tuple) else value
        for name, value in values
        if value
    }
    return said if enabled else {**said, "enabled": False}


def _represent_text(dumper: _PoolDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))


def _represent_list(dumper: _PoolDumper, items: _TextList) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=_fits(items))


def _fits(items: list[str]) -> bool:
    return sum(len(item) + 2 for item in items) < WIDTH - 20


def _style(text: str) -> str | None:
    """The style of a text: literal for several lines, folded for a long line, YAML's choice
    (quotes) for the rest."""
    if "\n" in text:
        return "|" if _is_plain_block(text) else '"'
    return ">" if len(text) > WIDTH - 16 and FOLDED.fullmatch(text) else None


def _is_plain_block(text: str) -> bool:
    """Whether the text survives as a literal block: no indented start, no blanks at line ends."""
    lines = text.removesuffix("\n").split("\n")
    return (
        text.splitlines() == lines  # other line breaks, such as a carriage return, would be lost
        and bool(lines[0] and lines[-1])
        and not lines[0][0].isspace()
        and all(line == line.rstrip() for line in lines)
    )


_PoolDumper.add_representer(str, _represent_text)
_PoolDumper.add_representer(_TextList, _represent_list)

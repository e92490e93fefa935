"""What people may call what they start."""

from __future__ import annotations

from apps.common.errors import FieldError

NAME_CHARS = 120


def name_errors(name: str | None) -> list[FieldError]:
    """None: the studio makes one up."""
    if name is None or (name.strip() and len(name) <= NAME_CHARS and name.isprintable()):
        return []
    return [FieldError("name", "bad_name", f"Use 1 to {NAME_CHARS} printable characters.")]

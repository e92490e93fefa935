"""Names that people may give to what they start."""

from __future__ import annotations

from django.utils.translation import gettext as _

from apps.common.errors import FieldError

NAME_CHARS = 120


def name_errors(name: str | None) -> list[FieldError]:
    """None: the studio makes up a name."""
    if name is None or (name.strip() and len(name) <= NAME_CHARS and name.isprintable()):
        return []
    return [
        FieldError(
            "name",
            "bad_name",
            _("Use 1 to %(at_most)s printable characters.") % {"at_most": NAME_CHARS},
        )
    ]

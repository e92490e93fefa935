"""Names that people may give to what they start, and texts that they write."""

from django.utils.translation import gettext as _

from apps.common.errors import FieldError
from apps.common.texts import NOT_TEXT, is_text

NAME_CHARS = 120


def name_errors(name: str | None) -> list[FieldError]:
    """None: the studio makes up a name."""
    if name is None or (name.strip() and len(name) <= NAME_CHARS and name.isprintable()):
        return []
    message = _("Use 1 to %(at_most)s printable characters.") % {"at_most": NAME_CHARS}
    return [FieldError("name", "bad_name", message)]


def text_errors(field: str, text: str, at_most: int) -> list[FieldError]:
    """For a text of more than `at_most` characters, or one that is not text at all."""
    if len(text) > at_most:
        message = _("Use at most %(at_most)s characters; this has %(length)s.") % {
            "at_most": f"{at_most:,}",
            "length": f"{len(text):,}",
        }
        return [FieldError(field, "too_long", message)]
    return [] if is_text(text) else [FieldError(field, "not_text", str(NOT_TEXT))]

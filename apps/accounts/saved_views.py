"""Saved views: each person's filters of a list, under a name."""

from urllib.parse import parse_qsl
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import SavedView, User
from apps.common.errors import ApplicationError, FieldError, conflict

VIEWS_PER_USER = 100
NAME_CHARS = 60
QUERY_CHARS = 2_000


@transaction.atomic
def view_save(*, user: User, page: str, name: str, query: str) -> SavedView:
    """Replaces the user's view with the same page and name. Raises ApplicationError: 400 for a bad
    name or query, 409 when the user has too many views."""
    name = name.strip()
    if errors := _errors(name, query):
        raise ApplicationError.of_fields(errors)
    own = User.objects.select_for_update().get(pk=user.pk).saved_views
    known = own.filter(page=page, name=name).exists()
    if not known and own.count() >= VIEWS_PER_USER:
        raise conflict(
            "too_many_views",
            _("You have %(at_most)s saved views, which is the limit.")
            % {"at_most": VIEWS_PER_USER},
            _("Delete one that you no longer use."),
        )
    view, _created = own.update_or_create(page=page, name=name, defaults={"query": query})
    return view


def view_delete(*, user: User, view_id: UUID) -> None:
    """Deletes one of the user's views. Deleting it twice is no error."""
    user.saved_views.filter(id=view_id).delete()


def _errors(name: str, query: str) -> list[FieldError]:
    errors = []
    if not name or len(name) > NAME_CHARS or not name.isprintable():
        message = _("Use 1 to %(at_most)s printable characters.") % {"at_most": NAME_CHARS}
        errors.append(FieldError("name", "bad_name", message))
    if len(query) > QUERY_CHARS:
        message = _("At most %(at_most)s characters; this one has %(length)s.") % {
            "at_most": f"{QUERY_CHARS:,}",
            "length": f"{len(query):,}",
        }
        errors.append(FieldError("query", "too_long", message))
    elif not _is_query(query):
        message = _("Use the query of the page's address, such as status=failed&mine=true.")
        errors.append(FieldError("query", "bad_query", message))
    return errors


def _is_query(query: str) -> bool:
    if not query.isascii() or not query.isprintable():
        return False
    try:
        return bool(parse_qsl(query, strict_parsing=True, max_num_fields=50))
    except ValueError:
        return False

"""The user that a command acts for."""

from django.core.management.base import CommandError

from apps.accounts.models import User
from apps.accounts.services import admin_ensure


def user_named(name: str | None) -> User:
    """The admin if no name is given."""
    if name is None:
        return admin_ensure()[0]
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no user “{name}”.")
    return user

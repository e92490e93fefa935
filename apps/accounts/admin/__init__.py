"""People, groups and tokens in the admin."""

from apps.accounts.admin import people, tokens

__all__ = ["people", "tokens"]

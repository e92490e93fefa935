"""Runs in the admin, and the page that tries a role."""

from apps.runs.admin import role_page, runs

__all__ = ["role_page", "runs"]

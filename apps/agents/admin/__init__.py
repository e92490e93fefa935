"""Agents in the admin, and their page of a pool."""

from apps.agents.admin import pool_page, profiles

__all__ = ["pool_page", "profiles"]

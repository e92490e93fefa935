"""Pools, roles and their history in the admin. Everything is written by the services of the API."""

from apps.roles.admin import history, pools, roles

__all__ = ["history", "pools", "roles"]

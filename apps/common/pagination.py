"""Cursor pagination: stable while rows are added, and as fast on the last page as on the first."""

from __future__ import annotations

from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    page_size = 50
    max_page_size = 200
    page_size_query_param = "page_size"
    ordering: tuple[str, ...] = ("-created_at", "-id")


class ByKey(NewestFirst):
    """For small, named things."""

    page_size = 200
    ordering = ("key",)

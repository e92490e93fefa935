"""Cursor pagination: stable while rows are added, and as fast on the last page as on the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import DataError
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

if TYPE_CHECKING:
    from rest_framework.views import APIView


LIST_CHARS = 300
"""Of a long text in a list; the one row has it whole."""


class NewestFirst(CursorPagination):
    page_size = 50
    max_page_size = 200
    page_size_query_param = "page_size"
    ordering: tuple[str, ...] = ("-created_at", "-id")

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        """A cursor may decode and still name no place, such as a date that is none."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValidationError, ValueError, DataError) as error:
            raise NotFound(self.invalid_cursor_message) from error


class ByKey(NewestFirst):
    """For small, named things."""

    page_size = 200
    ordering = ("key",)

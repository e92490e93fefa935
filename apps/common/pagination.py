"""Cursor pagination: stable while rows are added, and as fast on the last page as on the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import F, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

if TYPE_CHECKING:
    from rest_framework.views import APIView


LIST_CHARS = 300
"""Limit on a long text in a list. The row's own page has the whole text."""


class NewestFirst(CursorPagination):
    page_size = 50
    max_page_size = 200
    page_size_query_param = "page_size"
    ordering: tuple[str, ...] = ("-created_at", "-id")

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        """A cursor may decode and still name no place, such as an impossible date."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValidationError, ValueError, DataError) as error:
            raise NotFound(self.invalid_cursor_message) from error


class ByKey(NewestFirst):
    """For small lists of named things."""

    page_size = 200
    ordering = ("key",)


class AfterPlace(NewestFirst):
    """Pages of rows ordered by `(value, id)`, whatever the value. Many rows may share a value; the
    cursor above would skip no more than 1,000 of them. A place is the last row's value and id."""

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any]:
        self.base_url = request.build_absolute_uri()
        first = str(queryset.query.order_by[0])
        self._field = first.lstrip("-")
        try:
            rows = queryset
            if cursor := self.decode_cursor(request):
                after = TupleLessThan if first.startswith("-") else TupleGreaterThan
                place = self._place(queryset, cursor)
                rows = queryset.filter(after(Tuple(F(self._field), F("id")), place))
            size = self.get_page_size(request) or self.page_size
            found = list(rows[: size + 1])
        except (ValidationError, ValueError, DataError) as error:
            raise NotFound(self.invalid_cursor_message) from error
        self._last = found[size - 1] if len(found) > size else None
        return found[:size]

    def _place(self, queryset: QuerySet[Any], cursor: Cursor) -> tuple[Any, int]:
        value, _, row = str(cursor.position or "").rpartition(" ")
        return queryset.model._meta.get_field(self._field).to_python(value), int(row)

    def get_next_link(self) -> str | None:
        if self._last is None:
            return None
        position: Any = f"{getattr(self._last, self._field)} {self._last.pk}"
        return self.encode_cursor(Cursor(offset=0, reverse=False, position=position))

    def get_previous_link(self) -> None:
        return None

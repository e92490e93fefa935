"""Corpora in the admin: to read, and to delete. The command load_corpus loads them."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.accounts.ranked_admin import ServiceAdmin
from apps.corpora.models import Corpus
from apps.corpora.services import corpus_remove


@admin.register(Corpus)
class CorpusAdmin(ServiceAdmin[Corpus]):
    group = "curator"
    list_display = ("name", "key", "documents", "passages", "licence", "loaded_at")
    search_fields = ("key", "name", "source")
    fields = (
        *("name", "key", "source", "source_url", "licence", "licence_url"),
        *("documents", "passages", "loaded_at"),
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Corpus]:
        rows: QuerySet[Corpus] = super().get_queryset(request)
        return rows.filter(removed_at=None)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """In numbers: a corpus has tens of thousands of passages."""
        counts = {
            "documents": sum(corpus.documents for corpus in objs),
            "passages": sum(corpus.passages for corpus in objs),
        }
        return [str(corpus) for corpus in objs], counts, set(), []

    def delete_through_service(self, request: HttpRequest, instance: Corpus) -> None:
        corpus_remove(corpus=instance)

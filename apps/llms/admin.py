from __future__ import annotations

from collections.abc import Collection

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.common.admin import ServiceAdmin
from apps.llms import services
from apps.llms.models import Endpoint


@admin.register(Endpoint)
class EndpointAdmin(ServiceAdmin[Endpoint]):
    group = "curator"
    list_display = ("name", "key", "model", "base_url", "enabled", "is_default", "max_concurrency")
    list_filter = ("enabled",)
    search_fields = ("key", "name", "model", "base_url")
    actions = ("test_connection",)

    def save_through_service(
        self, request: HttpRequest, endpoint: Endpoint, changed: Collection[str]
    ) -> None:
        values = {name: getattr(endpoint, name) for name in changed}
        if endpoint.pk:
            services.endpoint_update(endpoint=endpoint, values=values)
            return
        endpoint.pk = services.endpoint_create(values=values).pk

    def delete_through_service(self, request: HttpRequest, endpoint: Endpoint) -> None:
        services.endpoint_delete(endpoint=endpoint)

    @admin.action(description="Test connection")
    def test_connection(self, request: HttpRequest, queryset: QuerySet[Endpoint]) -> None:
        for endpoint in queryset:
            result = services.endpoint_test(endpoint=endpoint)
            if result.failure:
                text = f"{endpoint}: {result.failure.message} {result.failure.remedy}"
                messages.error(request, text)
            else:
                messages.success(request, f"{endpoint}: {', '.join(result.models)}")

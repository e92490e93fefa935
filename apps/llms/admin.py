"""Endpoints in the admin, with their connection test and their history."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import Field, JSONField, QuerySet
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.ranked_admin import ReadOnlyAdmin, ServiceAdmin, user_of
from apps.common.admin_pages import column, found, own_page, page, to_change
from apps.common.json_form_field import JSONFormField
from apps.common.shown_lines import Matching, ShownField, field_name, shown_lines
from apps.llms import services
from apps.llms.history import FieldChange, Value
from apps.llms.models import Endpoint, EndpointChange
from workers.core.llm.probe import ProbeResult

SHOWN_CHANGES = 20
"""Limit on the changes that an endpoint's page shows. The list of changes has all."""
SHOWN_MODELS = 10


@dataclass(frozen=True, slots=True)
class ShownChange:
    change: EndpointChange
    fields: list[ShownField]


def changes_shown(changes: QuerySet[EndpointChange]) -> list[ShownChange]:
    newest = changes.select_related("changed_by")[:SHOWN_CHANGES]
    return [ShownChange(change, fields_shown(change.fields)) for change in newest]


def fields_shown(fields: Sequence[FieldChange]) -> list[ShownField]:
    """The changes without fields that were empty and still are, such as the key variable of a new
    endpoint."""
    shown = ((field["name"], _line(field["before"]), _line(field["after"])) for field in fields)
    matching = Matching()
    return [
        ShownField(field_name(Endpoint, name), shown_lines(before, after, matching))
        for name, before, after in shown
        if before != after
    ]


def _line(value: Value) -> list[str]:
    if value in (None, "", {}):
        return []
    if isinstance(value, dict):
        return json.dumps(value, indent=2, ensure_ascii=False).split("\n")
    if isinstance(value, bool):
        return [_("yes") if value else _("no")]
    return [str(value)]


@admin.register(Endpoint)
class EndpointAdmin(ServiceAdmin[Endpoint]):
    group = "curator"
    list_display = (
        *("name", "key", "model", "base_url", "prices", "max_concurrency", "enabled", "is_default"),
        "updated_at",
    )
    list_filter = ("enabled", "is_default", "allow_private_address")
    search_fields = ("key", "name", "model", "base_url")
    readonly_fields = ("key_variable", "parameters_from")
    formfield_overrides: ClassVar["dict[type[Field[Any, Any]], dict[str, Any]]"] = {
        JSONField: {"form_class": JSONFormField}
    }
    kept_fields = ("key",)  # runs name it by its key
    actions = ("test_connection",)
    actions_detail = ("test_now",)
    change_form_outer_after_template = "llms/admin/changes.html"
    fieldsets = (
        (None, {"fields": ("name", "key", "enabled", "is_default")}),
        (
            gettext_lazy("Server"),
            {
                "fields": (
                    *("base_url", "model", "api_key_env", "key_variable", "parameters"),
                    *("parameters_from", "extra_body", "allow_private_address"),
                )
            },
        ),
        (
            gettext_lazy("Prices"),
            {
                "fields": ("prompt_price", "completion_price"),
                "description": gettext_lazy(
                    "The prices apply to every call to this server. While a price is unknown, "
                    "costs are shown as unknown, and runs with a cost limit start no call here. A "
                    "new price applies from the next run on; started runs keep the old price."
                ),
            },
        ),
        (
            gettext_lazy("Limits"),
            {
                "fields": (
                    "max_concurrency",
                    "timeout_seconds",
                    "context_length",
                    "native_tools",
                    "sees_images",
                ),
                "description": gettext_lazy(
                    "Your own server is fastest when the number of calls at once matches its "
                    "batch size. A paid server refuses calls beyond its rate limit; the studio "
                    "tries them again later."
                ),
            },
        ),
    )

    @column(gettext_lazy("Prices in / out"))
    def prices(self, endpoint: Endpoint) -> str:
        both = (endpoint.prompt_price, endpoint.completion_price)
        return " / ".join(_("unknown") if price is None else f"${price:g}" for price in both)

    @column(gettext_lazy("API key"))
    def key_variable(self, endpoint: Endpoint) -> str:
        """Whether the variable is set, never what it holds."""
        if not endpoint.api_key_env:
            return _("no variable is named, so no key is sent")
        is_set = services.api_key_present(endpoint)
        return _("is set on this server") if is_set else _("is NOT set on this server")

    def page_context(self, request: HttpRequest, endpoint: Endpoint) -> dict[str, Any]:
        return {"changes": changes_shown(endpoint.changes.all())}

    def save_through_service(
        self, request: HttpRequest, endpoint: Endpoint, changed: Collection[str]
    ) -> None:
        by = user_of(request)
        if endpoint.extra_body is None:  # the form's word for an emptied field
            endpoint.extra_body = {}
        values = {name: getattr(endpoint, name) for name in changed}
        if endpoint.pk:
            services.endpoint_update(endpoint=endpoint, values=values, by=by)
            return
        endpoint.pk = services.endpoint_create(values=values, by=by).pk

    def delete_through_service(self, request: HttpRequest, endpoint: Endpoint) -> None:
        services.endpoint_delete(endpoint=endpoint, by=user_of(request))

    @own_page(gettext_lazy("Test connection"), icon="power")
    def test_now(self, request: HttpRequest, object_id: str) -> HttpResponse:
        endpoint = found(self, request, Endpoint, object_id)
        if request.method == "POST":
            result = services.endpoint_test(endpoint=endpoint, by=user_of(request))
            _tell(request, endpoint, result)
            return to_change(endpoint)
        return page(
            self,
            request,
            "common/admin/confirm.html",
            title=_("Test %(endpoint)s") % {"endpoint": endpoint},
            original=endpoint,
            form=Form(),
            submit=_("Test connection"),
            about=_(
                "The studio asks %(base_url)s for its models, for at most 10 seconds, with the "
                "settings as they are stored. If the server lists no models, the studio asks it "
                "for one token."
            )
            % {"base_url": endpoint.base_url},
        )

    @admin.action(description=gettext_lazy("Test connection"), permissions=["change"])
    def test_connection(self, request: HttpRequest, queryset: QuerySet[Endpoint]) -> None:
        endpoints = list(queryset)
        results = services.endpoints_test(endpoints=endpoints, by=user_of(request))
        for endpoint, result in zip(endpoints, results, strict=True):
            _tell(request, endpoint, result)


def _tell(request: HttpRequest, endpoint: Endpoint, result: ProbeResult) -> None:
    if result.failure:
        messages.error(request, f"{endpoint}: {result.failure.message} {result.failure.remedy}")
        return
    message = (
        _("%(endpoint)s answered in %(seconds)s s: %(models)s.")
        if result.models
        else _("%(endpoint)s answered in %(seconds)s s and lists no models.")
    )
    said = {"endpoint": endpoint, "seconds": f"{result.seconds:.2f}", "models": _listed(result)}
    messages.success(request, message % said)


def _listed(result: ProbeResult) -> str:
    some = ", ".join(result.models[:SHOWN_MODELS])[:1_000]
    more = len(result.models) - SHOWN_MODELS
    if more <= 0:
        return some
    return _("%(some)s and %(count)s more") % {"some": some, "count": more}


@admin.register(EndpointChange)
class EndpointChangeAdmin(ReadOnlyAdmin):
    group = "curator"
    list_display = ("changed_at", "endpoint_key", "what", "which", "changed_by")
    list_filter = ("endpoint", "kind")
    list_select_related = ("changed_by",)
    search_fields = ("endpoint_key",)
    fields = ("endpoint_key", "what", "changed_by", "changed_at")
    readonly_fields = ("what",)
    change_form_outer_after_template = "llms/admin/change.html"

    @column(gettext_lazy("Change"), ordering="kind")
    def what(self, change: EndpointChange) -> str:
        return change.get_kind_display()

    @column(gettext_lazy("Fields"))
    def which(self, change: EndpointChange) -> str:
        if change.kind != EndpointChange.Kind.CHANGED:
            return _("all")
        return ", ".join(field_name(Endpoint, field["name"]) for field in change.fields)

    def page_context(self, request: HttpRequest, change: EndpointChange) -> dict[str, Any]:
        return {"changed_fields": fields_shown(change.fields)}

"""The addresses: the API, the admin, the one-time login link, and the page for all others."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from apps.accounts.api.session import login_once
from apps.common.docs import DocsView, SchemaView
from apps.common.error_pages import not_found
from studio.pages import HealthView, page

APPS = (
    *("accounts", "llms", "roles", "checkpoints", "agents", "tasks", "setups", "runs", "designs"),
    *("evaluations", "training", "home", "live", "webhooks"),
)

api: list[URLPattern | URLResolver] = [
    path("health", HealthView.as_view()),
    *(path("", include(f"apps.{app}.urls")) for app in APPS),
    path("schema", SchemaView.as_view(), name="schema"),
    path("docs", DocsView.as_view()),
]

urlpatterns = [
    path("api/", include(api)),
    re_path(r"^(?:api|static)(?:/.*)?$", not_found),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    # Where the admin's page of checkpoints was until they had an app.
    re_path(
        r"^admin/training/checkpoint/(?P<rest>.*)$",
        RedirectView.as_view(url="/admin/checkpoints/checkpoint/%(rest)s", query_string=True),
    ),
    path("admin/", admin.site.urls),
    path("", include("apps.corpora.urls")),
    path("login/once/<str:secret>", login_once),
    re_path(r"^(?!admin/).*$", page),
]

handler400 = "apps.common.error_pages.bad_request"
handler403 = "apps.common.error_pages.permission_denied"
handler404 = "apps.common.error_pages.not_found"
handler500 = "apps.common.error_pages.server_error"

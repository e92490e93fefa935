"""The addresses: the API, the admin, the one-time login link, and the page for all others."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from apps.accounts.api.session import login_once
from apps.common.docs import DocsView, SchemaView
from apps.common.error_pages import not_found
from studio.pages import HealthView, page

api: list[URLPattern | URLResolver] = [
    path("health", HealthView.as_view()),
    path("", include("apps.accounts.urls")),
    path("", include("apps.llms.urls")),
    path("", include("apps.roles.urls")),
    path("", include("apps.checkpoints.urls")),
    path("", include("apps.agents.urls")),
    path("", include("apps.tasks.urls")),
    path("", include("apps.setups.urls")),
    path("", include("apps.runs.urls")),
    path("", include("apps.designs.urls")),
    path("", include("apps.evaluations.urls")),
    path("", include("apps.training.urls")),
    path("", include("apps.home.urls")),
    path("", include("apps.live.urls")),
    path("", include("apps.webhooks.urls")),
    path("schema", SchemaView.as_view(), name="schema"),
    path("docs", DocsView.as_view()),
]

urlpatterns = [
    path("api/", include(api)),
    re_path(r"^(?:api|static)(?:/.*)?$", not_found),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("login/once/<str:secret>", login_once),
    re_path(r"^(?!admin/).*$", page),
]

handler400 = "apps.common.error_pages.bad_request"
handler403 = "apps.common.error_pages.permission_denied"
handler404 = "apps.common.error_pages.not_found"
handler500 = "apps.common.error_pages.server_error"

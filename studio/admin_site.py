"""The entry to the admin: open to curators and admins, with the studio's own login."""

from typing import Any

from csp.constants import UNSAFE_EVAL, UNSAFE_INLINE
from csp.decorators import csp_update
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy
from unfold.sites import UnfoldAdminSite

from apps.accounts.permissions import acts_as

# Unfold's Alpine.js evaluates expressions in attributes; Unfold and htmx write <style> elements.
POLICY = {"script-src": [UNSAFE_EVAL], "style-src": [UNSAFE_INLINE]}


class StudioAdminSite(UnfoldAdminSite):
    """A person's group decides, as in the API, not `is_staff`."""

    site_title = site_header = settings.NAME
    index_title = gettext_lazy("Administration")

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        """List Django's groups beside the people who are in them."""
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        by_label = {app["app_label"]: app for app in apps}
        if "accounts" not in by_label or "auth" not in by_label:
            return apps
        by_label["accounts"]["models"] += by_label["auth"]["models"]
        return [app for app in apps if app["app_label"] != "auth"]

    def has_permission(self, request: HttpRequest) -> bool:
        return acts_as(request.user, "curator")

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        return csp_update(POLICY)(super().admin_view(view, cacheable))

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the studio's login, which limits tries. A logged-in user needs another
        group."""
        if self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:index"))
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))

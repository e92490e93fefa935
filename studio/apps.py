import gc

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class StudioConfig(AppConfig):
    """The app that holds the commands which drive the studio."""

    name = "studio"

    def ready(self) -> None:
        gc.freeze()  # what was loaded stays, so nothing is looked for in it later
        gc.enable()


class StudioAdminConfig(AdminConfig):
    default_site = "studio.admin_site.StudioAdminSite"

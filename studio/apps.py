from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class StudioConfig(AppConfig):
    """The app that holds the commands which drive the studio."""

    name = "studio"


class StudioAdminConfig(AdminConfig):
    default_site = "studio.admin_site.StudioAdminSite"

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class StudioConfig(AppConfig):
    """Of the commands that drive the studio."""

    name = "studio"


class StudioAdminConfig(AdminConfig):
    default_site = "studio.admin_site.StudioAdminSite"

from django.apps import AppConfig


class RolesConfig(AppConfig):
    name = "apps.roles"
    verbose_name = "Role pools"

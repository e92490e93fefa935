from django.apps import AppConfig


class LlmsConfig(AppConfig):
    name = "apps.llms"
    verbose_name = "Endpoints"

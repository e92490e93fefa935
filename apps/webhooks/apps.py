from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "apps.webhooks"
    verbose_name = "Webhooks"

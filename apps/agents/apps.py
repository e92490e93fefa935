from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "apps.agents"
    verbose_name = "Agents"

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RunsConfig(AppConfig):
    name = "apps.runs"
    verbose_name = _("Runs")

    def ready(self) -> None:
        from apps.agents import usage as agents
        from apps.checkpoints.uses import USERS
        from apps.designs.taking import BEGINNINGS
        from apps.roles import usage as roles
        from apps.runs.figures.agents import agent_usage, agents_figures
        from apps.runs.figures.pools import pool_usage
        from apps.runs.models import Run
        from apps.runs.taking import FIELD, beginning_of_run

        roles.pool_usage.fill(pool_usage)
        agents.agent_usage.fill(agent_usage)
        agents.agents_figures.fill(agents_figures)
        BEGINNINGS[FIELD] = beginning_of_run
        named = Run.objects.filter
        USERS.append((_("runs"), lambda name: named(checkpoint=name).exists()))

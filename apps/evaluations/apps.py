from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class EvaluationsConfig(AppConfig):
    name = "apps.evaluations"
    verbose_name = _("Evaluations")

    def ready(self) -> None:
        from apps.checkpoints.uses import USERS
        from apps.evaluations.models import EvaluationArm

        named = EvaluationArm.objects.filter
        USERS.append((_("evaluations"), lambda name: named(checkpoint=name).exists()))

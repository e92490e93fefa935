from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CheckpointsConfig(AppConfig):
    name = "apps.checkpoints"
    verbose_name = _("Checkpoints")

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LlmsConfig(AppConfig):
    name = "apps.llms"
    verbose_name = _("Endpoints")

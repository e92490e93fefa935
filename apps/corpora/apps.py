from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CorporaConfig(AppConfig):
    name = "apps.corpora"
    verbose_name = _("Corpora")

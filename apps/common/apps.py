from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "apps.common"

    def ready(self) -> None:
        from apps.common.automatic_names import translate_automatic_names

        translate_automatic_names()

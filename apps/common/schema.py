"""What the API's schema says of an operation whose view does not say it."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework.serializers import ModelSerializer

VERBS = {"GET": "Read", "POST": "Make", "PUT": "Replace", "PATCH": "Change", "DELETE": "Delete"}


class StudioSchema(AutoSchema):
    """A generic view does to its model what its method says: no view need write that."""

    def get_summary(self) -> str | None:
        told: str | None = super().get_summary()
        model = self._model()
        if told or model is None:
            return told
        if self._is_list_view():
            return f"List {model._meta.verbose_name_plural}"
        name = str(model._meta.verbose_name)
        article = "an" if name[0] in "aeiouA" else "a"
        return f"{VERBS[self.method]} {article} {name}"

    def _model(self) -> Any:
        serializer = getattr(self.view, "serializer_class", None)
        if isinstance(serializer, type) and issubclass(serializer, ModelSerializer):
            return serializer.Meta.model
        return getattr(getattr(self.view, "queryset", None), "model", None)

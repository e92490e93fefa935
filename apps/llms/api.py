"""Endpoints: list, edit, test the connection, and see who changed what."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from apps.accounts.permissions import CuratorWrites, user_of
from apps.accounts.views import CuratorView
from apps.common.pagination import ByKey, NewestFirst
from apps.common.serializers import FailureSerializer, FreeModelSerializer, SlugKeyField
from apps.llms import services
from apps.llms.models import Endpoint, EndpointChange
from workers.core.llm.probe import ProbeResult


class EndpointSerializer(serializers.ModelSerializer[Endpoint]):
    key = SlugKeyField()
    is_default = serializers.BooleanField(required=False)
    parameters = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=2**63 - 1,
        help_text="Parameters of the model. Null when sent: guess from the name. Null when read: "
        "unknown.",
    )
    parameters_from = serializers.ChoiceField(
        choices=("", "server", "person", "name"),
        read_only=True,
        help_text="Where the parameters come from: the server, a person, or the model's name (a "
        "guess).",
    )
    is_small = serializers.BooleanField(
        source="spec.is_small",
        read_only=True,
        help_text="The model has less than a billion parameters. It gets short prompts, without "
        "refuse conditions and without tools in text.",
    )
    api_key_present = serializers.SerializerMethodField()
    extra_body = serializers.DictField(
        child=serializers.JSONField(allow_null=True),
        required=False,
        help_text="Fields that are added to each request, such as top_p. Everybody who can sign in "
        "can read them.",
    )

    class Meta:
        model = Endpoint
        fields = (
            *("key", "name", "base_url", "model", "context_length", "prompt_price"),
            *("completion_price", "api_key_env", "api_key_present", "max_concurrency"),
            *("timeout_seconds", "native_tools", "sees_images"),
            *("parameters", "parameters_from", "is_small", "extra_body"),
            *("allow_private_address", "enabled", "is_default", "created_at", "updated_at"),
        )
        read_only_fields = ("created_at", "updated_at")

    def get_api_key_present(self, endpoint: Endpoint) -> bool:
        return services.api_key_present(endpoint)


class EndpointPatchSerializer(EndpointSerializer):
    key = SlugKeyField(read_only=True)


class EndpointFieldChangeSerializer(serializers.Serializer[dict[str, object]]):
    name = serializers.CharField()
    before = serializers.JSONField(help_text="Text, number, true, false, an object or null.")
    after = serializers.JSONField()


class EndpointChangeSerializer(FreeModelSerializer[EndpointChange]):
    changed_by = serializers.SlugRelatedField[Any](
        slug_field="username", read_only=True, allow_null=True, help_text="Null: the studio itself."
    )
    fields = EndpointFieldChangeSerializer(many=True)

    class Meta:
        model = EndpointChange
        fields = ("id", "kind", "changed_at", "changed_by", "fields")


class ProbeSerializer(serializers.Serializer[ProbeResult]):
    ok = serializers.BooleanField()
    seconds = serializers.FloatField()
    models = serializers.ListField(child=serializers.CharField())
    parameters = serializers.IntegerField(
        allow_null=True,
        help_text="Parameters of the endpoint's model, as the server says. Null: the server "
        "does not say.",
    )
    failure = FailureSerializer(allow_null=True)


class EndpointsView(generics.ListCreateAPIView[Endpoint]):
    permission_classes = (CuratorWrites,)
    serializer_class = EndpointSerializer
    pagination_class = ByKey
    queryset = Endpoint.objects.all()

    def perform_create(self, serializer: BaseSerializer[Endpoint]) -> None:
        serializer.instance = services.endpoint_create(
            values=serializer.validated_data, by=user_of(self.request)
        )


class EndpointView(generics.RetrieveUpdateDestroyAPIView[Endpoint]):
    permission_classes = (CuratorWrites,)
    serializer_class = EndpointPatchSerializer
    lookup_field = "key"
    http_method_names = ("get", "patch", "delete", "head", "options")
    queryset = Endpoint.objects.all()

    def perform_update(self, serializer: BaseSerializer[Endpoint]) -> None:
        assert serializer.instance  # noqa: S101  an update always has one
        services.endpoint_update(
            endpoint=serializer.instance,
            values=dict(serializer.validated_data),
            by=user_of(self.request),
        )

    def perform_destroy(self, instance: Endpoint) -> None:
        services.endpoint_delete(endpoint=instance, by=user_of(self.request))


class NewestChange(NewestFirst):
    ordering = ("-changed_at", "-id")


@extend_schema_view(get=extend_schema(summary="Who changed what of an endpoint, newest first"))
class EndpointChangesView(generics.ListAPIView[EndpointChange]):
    permission_classes = (CuratorWrites,)
    serializer_class = EndpointChangeSerializer
    pagination_class = NewestChange

    def get_queryset(self) -> QuerySet[EndpointChange]:
        if getattr(self, "swagger_fake_view", False):  # the API's document asks no database
            return EndpointChange.objects.none()
        endpoint = get_object_or_404(Endpoint, key=self.kwargs["key"])
        return endpoint.changes.select_related("changed_by")


class EndpointTestView(CuratorView):
    @extend_schema(
        request=None, responses=ProbeSerializer, summary="Test the connection of an endpoint"
    )
    def post(self, request: Request, key: str) -> Response:
        result = services.endpoint_test(
            endpoint=get_object_or_404(Endpoint, key=key), by=user_of(request)
        )
        return Response(ProbeSerializer(result).data)

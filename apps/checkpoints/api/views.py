"""Checkpoints: list, compare, promote, rename, delete."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from apps.accounts.permissions import CuratorWrites
from apps.accounts.views import CuratorView
from apps.checkpoints import services
from apps.checkpoints.api.serializers import CheckpointSerializer
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.selectors import checkpoint_list


class NamesFilter(filters.BaseInFilter, filters.CharFilter):
    pass


class CheckpointFilter(filters.FilterSet):
    method = filters.CharFilter(max_length=63)
    job = filters.UUIDFilter(field_name="job_id", label="Checkpoints of this training")
    trained = filters.BooleanFilter()
    promoted = filters.BooleanFilter()
    is_default = filters.BooleanFilter()
    names = NamesFilter(
        field_name="name",
        max_length=4_000,
        label="Names of checkpoints to compare, separated by commas",
    )
    q = filters.CharFilter(method="search", max_length=120, label="Text in the name or the label")

    def search(self, found: QuerySet[Checkpoint], name: str, value: str) -> QuerySet[Checkpoint]:
        return found.filter(name__icontains=value) | found.filter(label__icontains=value)


class CheckpointsView(generics.ListAPIView[Checkpoint]):
    serializer_class = CheckpointSerializer
    filterset_class = CheckpointFilter
    queryset = checkpoint_list()


class CheckpointView(generics.RetrieveUpdateDestroyAPIView[Checkpoint]):
    permission_classes = (CuratorWrites,)
    serializer_class = CheckpointSerializer
    lookup_field = "name"
    http_method_names = ("get", "patch", "delete", "head", "options")
    queryset = checkpoint_list()

    def perform_update(self, serializer: BaseSerializer[Checkpoint]) -> None:
        assert serializer.instance  # noqa: S101  an update always has one
        values = dict(serializer.validated_data)
        services.checkpoint_update(checkpoint=serializer.instance, values=values)

    def perform_destroy(self, instance: Checkpoint) -> None:
        services.checkpoint_delete(checkpoint=instance)


class CheckpointPromoteView(CuratorView):
    @extend_schema(
        summary="Make a checkpoint the default: runs of its method without a named checkpoint "
        "use it",
        request=None,
        responses=CheckpointSerializer,
    )
    def post(self, request: Request, name: str) -> Response:
        checkpoint = get_object_or_404(checkpoint_list(), name=name)
        promoted = services.checkpoint_promote(checkpoint=checkpoint)
        return Response(CheckpointSerializer(promoted).data)

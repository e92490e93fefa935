"""Designs: list, draw, save, versions."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import OperatorWrites, may, user_of
from apps.accounts.views import OperatorView
from apps.common.errors import missing_is_404
from apps.common.filters import MineFilter
from apps.common.pagination import NewestFirst
from apps.common.serializers import valid
from apps.designs import selectors, services
from apps.designs.api.serializers import (
    DesignChangeSerializer,
    DesignCheckedSerializer,
    DesignCheckSerializer,
    DesignListedSerializer,
    DesignRevisionSerializer,
    DesignSerializer,
    DesignTurnedSerializer,
    DesignTurnSerializer,
    DesignVersionSerializer,
    DesignWantedSerializer,
    RestoreSerializer,
    VersionWantedSerializer,
    meaning_on_wire,
    problems_on_wire,
)
from apps.designs.models import Design, DesignVersion
from apps.designs.turning import TURNS


class LastChangedFirst(NewestFirst):
    ordering = ("-updated_at", "-id")


class DesignFilter(MineFilter):
    q = filters.CharFilter(field_name="name", lookup_expr="icontains", max_length=120)


class DesignsView(generics.ListAPIView[Design]):
    permission_classes = (OperatorWrites,)
    serializer_class = DesignListedSerializer
    pagination_class = LastChangedFirst
    filterset_class = DesignFilter
    queryset = selectors.design_list().exclude(selectors.UNTOUCHED)

    @extend_schema(
        summary="Start a design",
        request=DesignWantedSerializer,
        responses={201: DesignSerializer},
        filters=False,
    )
    def post(self, request: Request) -> Response:
        wanted = valid(DesignWantedSerializer(data=request.data))
        design = services.design_create(user=user_of(request), **wanted.validated_data)
        return answer(design.id, code=status.HTTP_201_CREATED)


class DesignCheckView(OperatorView):
    """For people who may draw. Stored designs, which viewers see, already have their problems."""

    @extend_schema(
        summary="Check a draft without storing it",
        request=DesignCheckSerializer,
        responses=DesignCheckedSerializer,
    )
    def post(self, request: Request) -> Response:
        wanted = valid(DesignCheckSerializer(data=request.data))
        spec = services.draft_read(wanted.validated_data["draft"])
        with missing_is_404(Design.DoesNotExist):
            problems = selectors.draft_problems(spec, wanted.validated_data["design"])
        return Response({"problems": problems_on_wire(problems), "meaning": meaning_on_wire(spec)})


class DesignTurnView(OperatorView):
    @extend_schema(
        summary="A draft as a script, or as a drawing, without storing it",
        description="400 names every part that the other can't say, a script's with its line.",
        request=DesignTurnSerializer,
        responses=DesignTurnedSerializer,
    )
    def post(self, request: Request) -> Response:
        wanted = valid(DesignTurnSerializer(data=request.data))
        spec = services.draft_read(wanted.validated_data["draft"])
        turned, changes = TURNS[wanted.validated_data["into"]](spec)
        return Response({"draft": turned.model_dump(mode="json"), "changes": changes})


class DesignView(OperatorView):
    @extend_schema(summary="A design with its problems", responses=DesignSerializer)
    def get(self, request: Request, design_id: UUID) -> Response:
        return answer(design_id)

    @extend_schema(
        summary="Save a design",
        description="409 `design_changed` if someone saved the design after you read `revision`.",
        request=DesignChangeSerializer,
        responses=DesignSerializer,
    )
    def patch(self, request: Request, design_id: UUID) -> Response:
        wanted = valid(DesignChangeSerializer(data=request.data))
        _do(services.design_save, request, design_id, **wanted.validated_data)
        return answer(design_id)

    @extend_schema(
        summary="Delete a design with its versions (the owner or an admin)", responses={204: None}
    )
    def delete(self, request: Request, design_id: UUID) -> Response:
        _do(services.design_delete, request, design_id, as_admin=may(request, "admin"))
        return Response(status=status.HTTP_204_NO_CONTENT)


class DesignRevisionView(APIView):
    @extend_schema(
        summary="Whether a design was changed, and by whom; without the design",
        responses=DesignRevisionSerializer,
    )
    def get(self, request: Request, design_id: UUID) -> Response:
        with missing_is_404(Design.DoesNotExist):
            design = selectors.design_heads().get(id=design_id)
        return Response(DesignRevisionSerializer(design).data)


class DesignVersionsView(OperatorView):
    @extend_schema(
        summary="Save the design as it is now as a named version",
        request=VersionWantedSerializer,
        responses={201: DesignVersionSerializer},
    )
    def post(self, request: Request, design_id: UUID) -> Response:
        wanted = valid(VersionWantedSerializer(data=request.data))
        version = _do(services.version_create, request, design_id, **wanted.validated_data)
        return Response(DesignVersionSerializer(version).data, status=status.HTTP_201_CREATED)


class DesignVersionView(OperatorView):
    @extend_schema(summary="A version of a design", responses=DesignVersionSerializer)
    def get(self, request: Request, design_id: UUID, number: int) -> Response:
        with missing_is_404(DesignVersion.DoesNotExist):
            version = DesignVersion.objects.select_related("created_by").get(
                design_id=design_id, number=number
            )
        return Response(DesignVersionSerializer(version).data)


class DesignRestoreView(OperatorView):
    @extend_schema(
        summary="Restore a version; the draft before is kept as a version",
        request=RestoreSerializer,
        responses=DesignSerializer,
    )
    def post(self, request: Request, design_id: UUID, number: int) -> Response:
        wanted = valid(RestoreSerializer(data=request.data))
        _do(services.version_restore, request, design_id, number=number, **wanted.validated_data)
        return answer(design_id)


def answer(design_id: UUID, *, code: int = status.HTTP_200_OK) -> Response:
    whole = selectors.design_list().defer(None).prefetch_related("versions__created_by")
    with missing_is_404(Design.DoesNotExist):
        design = whole.get(id=design_id)
    return Response(DesignSerializer(design).data, status=code)


def _do(service: Callable[..., Any], request: Request, design_id: UUID, **more: object) -> Any:
    with missing_is_404(Design.DoesNotExist, DesignVersion.DoesNotExist):
        return service(user=user_of(request), design_id=design_id, **more)

"""Links to stored runs. The run's owner makes and revokes them; a person with a link reads the
run."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import IsOperator
from apps.common.errors import ApplicationError, missing_is_404
from apps.common.renderers import IgnoresFormat
from apps.common.serializers import valid
from apps.common.tries import client_address
from apps.runs.api.event_pages import AFTER, PageAsked, event_page, page_size_parameter
from apps.runs.api.pictures import READ_PICTURE, picture_response
from apps.runs.api.serializers import EventPageSerializer, RunSerializer
from apps.runs.api.views import asked
from apps.runs.models import Run, Share
from apps.runs.shares import share_create, share_revoke, share_token, shared_run_id, shares_of
from apps.runs.strangers import for_strangers, origins, role_names, shared_row, trained_config
from apps.setups.api.methods import method_json
from apps.setups.api.serializers import MethodSerializer
from workers.core.methods.registry import METHODS

MAX_PAGE_SIZE = 500
"""Small, because every event is parsed to hide parts of it. For members, events are sent as
stored."""


class ShareWantedSerializer(serializers.Serializer[dict[str, Any]]):
    days = serializers.IntegerField(
        required=False,
        allow_null=True,
        help_text="How many days the link works. Null: until it is revoked",
    )


class ShareSerializer(serializers.ModelSerializer[Share]):
    path = serializers.SerializerMethodField(help_text="The page that the link opens")
    created_by = serializers.CharField(source="created_by.username")

    class Meta:
        model = Share
        fields = ("id", "path", "created_by", "created_at", "expires_at")

    def get_path(self, share: Share) -> str:
        return f"/shared/{share_token(share.id)}"


class SharedRunSerializer(serializers.Serializer[dict[str, Any]]):
    """Everything that the page of a shared run shows, except the trace."""

    run = RunSerializer(help_text="The run, without people and without links to what is not shared")
    method = MethodSerializer(allow_null=True, help_text="Null: the method no longer exists")
    trained_config = serializers.DictField(
        help_text="Settings that the run's checkpoint was trained under; {} without a checkpoint"
    )
    role_names = serializers.DictField(
        child=serializers.CharField(),
        help_text="Names by key, for the roles that the run had or chose among",
    )
    origins = serializers.DictField(
        child=serializers.CharField(),
        help_text="Where the studio's own pages that agents read came from, by path; strangers "
        "can't open the pages themselves",
    )


class SharesView(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(
        summary="List a run's links that have not expired (the owner or an admin)",
        description="Also works with `SHARE_LINKS=0`, when no links can be made and existing "
        "links open nothing.",
        responses=ShareSerializer(many=True),
    )
    def get(self, request: Request, run_id: UUID) -> Response:
        with missing_is_404(Run.DoesNotExist):
            shares = shares_of(**asked(request, run_id))
        return Response(ShareSerializer(shares, many=True).data)

    @extend_schema(
        summary="Make a link that lets any person read the run (the owner or an admin)",
        request=ShareWantedSerializer,
        responses={201: ShareSerializer},
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        wanted = valid(ShareWantedSerializer(data=request.data))
        with missing_is_404(Run.DoesNotExist):
            days = wanted.validated_data.get("days")
            share = share_create(**asked(request, run_id), days=days)
        return Response(ShareSerializer(share).data, status=status.HTTP_201_CREATED)


class ShareView(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(summary="Revoke a link (the run's owner or an admin)", responses={204: None})
    def delete(self, request: Request, run_id: UUID, share_id: UUID) -> Response:
        with missing_is_404(Run.DoesNotExist):
            share_revoke(**asked(request, run_id), share_id=share_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class PublicView(APIView):
    """For any person with a link. Other credentials do not matter and are not checked."""

    permission_classes = (AllowAny,)
    authentication_classes = ()

    def finalize_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().finalize_response(*args, **kwargs)
        response["Cache-Control"] = "private, no-store"  # a revoked link opens nothing, anywhere
        return response


class SharedRunView(PublicView):
    @extend_schema(summary="Read a shared run", responses=SharedRunSerializer, auth=[])
    def get(self, request: Request, token: str) -> Response:
        return Response(shared_json(shared_run(request, token)))


class SharedEventsView(PublicView):
    @extend_schema(
        summary="Read a shared run's trace",
        parameters=[AFTER, page_size_parameter(MAX_PAGE_SIZE)],
        responses=EventPageSerializer,
        auth=[],
    )
    def get(self, request: Request, token: str) -> HttpResponse:
        run_id = shared_run(request, token)
        return event_page(run_id, PageAsked.of(request, most=MAX_PAGE_SIZE), shown=for_strangers)


class SharedPictureView(PublicView):
    content_negotiation_class = IgnoresFormat

    @extend_schema(
        summary="Read a picture of a page that an agent of a shared run saw",
        responses=READ_PICTURE,
        auth=[],
    )
    def get(self, request: Request, token: str, picture_id: UUID) -> HttpResponse:
        return picture_response(shared_run(request, token), picture_id)


def shared_json(run_id: UUID) -> dict[str, Any]:
    """A run as people without an account see it, except the trace. Raises Run.DoesNotExist."""
    row = shared_row(run_id)
    method = METHODS.get(row["method"])
    return {
        "run": RunSerializer(row).data,
        "method": method and method_json(method),
        "trained_config": trained_config(row["checkpoint"]),
        "role_names": role_names(run_id),
        "origins": origins(run_id),
    }


def shared_run(request: Request, token: str) -> UUID:
    try:
        return shared_run_id(token, address=client_address(request))
    except Share.DoesNotExist as error:
        raise ApplicationError(
            code="no_such_link",
            message=_("This link does not work. It has expired, was revoked, or is incomplete."),
            remedy=_("Ask the person who sent it for a new link."),
            status_code=status.HTTP_404_NOT_FOUND,
        ) from error

"""Asking a draft's role a question."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import CuratorWrites, IsOperator, user_of
from apps.common.serializers import SlugKeyField, valid
from apps.roles.models import Role
from apps.runs.api.serializers import RunSerializer
from apps.runs.api.views import run_json
from apps.runs.trying import role_try


class RoleTrySerializer(serializers.Serializer[dict[str, str]]):
    query = serializers.CharField(trim_whitespace=False)
    endpoint = SlugKeyField(required=False, allow_null=True)


class RoleTryView(APIView):
    """Trying a role needs the rights to run and to edit drafts."""

    permission_classes = (IsOperator, CuratorWrites)

    @extend_schema(
        request=RoleTrySerializer,
        responses={201: RunSerializer},
        summary="Ask the draft's role a question, in a run of one agent",
    )
    def post(self, request: Request, key: str, role: str) -> Response:
        asked = valid(RoleTrySerializer(data=request.data))
        run = role_try(
            user=user_of(request),
            role=get_object_or_404(Role, pool__key=key, key=role),
            **asked.validated_data,
        )
        return Response(run_json(run.id), status=status.HTTP_201_CREATED)

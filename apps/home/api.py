"""What a person finds on the home page: ended trainings and evaluations, and runs that wait."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import OwnThings, user_of
from apps.common.serializers import valid
from apps.home.endings import Ending, endings_of, endings_see


class EndingSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=("training", "evaluation", "run"))
    id = serializers.UUIDField()
    name = serializers.CharField()
    status = serializers.ChoiceField(choices=("succeeded", "failed", "waiting"))
    at = serializers.DateTimeField()
    seen = serializers.BooleanField()


class SeenSerializer(serializers.Serializer[Any]):
    until = serializers.DateTimeField(help_text="`at` of the newest ending that was seen")


class EndingsView(APIView):
    permission_classes = (OwnThings,)

    @extend_schema(
        summary="My ended trainings and evaluations, and runs that wait for me",
        responses=EndingSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        endings: list[Ending] = endings_of(user_of(request))
        return Response(EndingSerializer(endings, many=True).data)


class EndingsSeenView(APIView):
    permission_classes = (OwnThings,)

    @extend_schema(
        summary="Mark my endings up to a time as seen",
        request=SeenSerializer,
        responses={204: None},
    )
    def post(self, request: Request) -> Response:
        wanted = valid(SeenSerializer(data=request.data))
        endings_see(user=user_of(request), until=wanted.validated_data["until"])
        return Response(status=status.HTTP_204_NO_CONTENT)

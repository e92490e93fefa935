"""Saved views: filters of a list that a person keeps under a name."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.models import SavedView
from apps.accounts.permissions import OwnThings, user_of
from apps.accounts.saved_views import view_delete, view_save
from apps.common.serializers import valid


class SavedViewSerializer(serializers.ModelSerializer[SavedView]):
    class Meta:
        model = SavedView
        fields = ("id", "page", "name", "query")


class SavedViewWantedSerializer(serializers.Serializer[dict[str, str]]):
    page = serializers.ChoiceField(choices=SavedView.Page.choices)
    name = serializers.CharField()
    query = serializers.CharField(
        help_text="The query of the page's address, such as status=failed&mine=true."
    )


class SavedViewsView(APIView):
    permission_classes = (OwnThings,)

    @extend_schema(responses=SavedViewSerializer(many=True), summary="My saved views")
    def get(self, request: Request) -> Response:
        views = user_of(request).saved_views.all()
        return Response(SavedViewSerializer(views, many=True).data)

    @extend_schema(
        request=SavedViewWantedSerializer,
        responses={201: SavedViewSerializer},
        summary="Save the filters of a list under a name; replaces the view of that name",
    )
    def post(self, request: Request) -> Response:
        wanted = valid(SavedViewWantedSerializer(data=request.data))
        view = view_save(user=user_of(request), **wanted.validated_data)
        return Response(SavedViewSerializer(view).data, status=status.HTTP_201_CREATED)


class SavedViewView(APIView):
    permission_classes = (OwnThings,)

    @extend_schema(responses={204: None}, summary="Delete one of my saved views")
    def delete(self, request: Request, view_id: UUID) -> Response:
        view_delete(user=user_of(request), view_id=view_id)
        return Response(status=status.HTTP_204_NO_CONTENT)

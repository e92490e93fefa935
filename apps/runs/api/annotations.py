"""Notes of people on a run."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import user_of
from apps.accounts.views import OperatorView
from apps.common.errors import missing_is_404
from apps.common.serializers import Object, valid
from apps.runs.annotations import Note, annotation_delete, annotation_save
from apps.runs.api.serializers import AnnotationSerializer
from apps.runs.models import Run
from apps.runs.selectors import label_rows, run_row


class NoteSerializer(Object):
    """A score, a label, a comment, or several of them."""

    score = serializers.IntegerField(required=False, allow_null=True, help_text="Score from 1 to 5")
    label = serializers.CharField(required=False, allow_blank=True)
    comment = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)


class AnnotationsView(OperatorView):
    @extend_schema(
        summary="Write a note on a run; it replaces your note on that run",
        request=NoteSerializer,
        responses=AnnotationSerializer(many=True),
    )
    def put(self, request: Request, run_id: UUID) -> Response:
        wanted = valid(NoteSerializer(data=request.data))
        with missing_is_404(Run.DoesNotExist):
            annotation_save(
                user=user_of(request), run_id=run_id, note=Note(**wanted.validated_data)
            )
        return Response(run_row(run_id)["notes"])

    @extend_schema(summary="Delete your note on a run", responses={204: None})
    def delete(self, request: Request, run_id: UUID) -> Response:
        annotation_delete(user=user_of(request), run_id=run_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class LabelSerializer(serializers.Serializer[dict[str, Any]]):
    name = serializers.CharField()
    runs = serializers.IntegerField(help_text="Number of runs with this label")


class LabelsView(APIView):
    @extend_schema(
        summary="List the labels of notes, most used first", responses=LabelSerializer(many=True)
    )
    def get(self, request: Request) -> Response:
        return Response(label_rows())

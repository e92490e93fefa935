"""Many runs at once: cancel, run again, label, delete, download."""

from collections.abc import Iterator
from typing import Any, get_args

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.permissions import may, user_of
from apps.accounts.views import OperatorView
from apps.common.docs import idempotency_key_parameter
from apps.common.file_stream import FileStream
from apps.common.renderers import IgnoresFormat
from apps.common.serializers import Object, Row, valid
from apps.runs.api.filters import RunFilter
from apps.runs.api.serializers import RunSerializer
from apps.runs.bulk import MOST, Action, Deed, runs_each
from apps.runs.export import matching_file, runs_file
from apps.runs.selectors import run_rows


class ManyRuns(serializers.ListField):
    child = serializers.UUIDField()

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=1, max_length=MOST, **options)


class ManyRunsSerializer(Object):
    runs = ManyRuns()


class DeedSerializer(Object):
    runs = ManyRuns()
    action = serializers.ChoiceField(choices=get_args(Action))
    label = serializers.CharField(
        allow_blank=True,
        default="",
        help_text="The label of your note on each run; an empty label removes it",
    )


class RefusalSerializer(serializers.Serializer[dict[str, str]]):
    code = serializers.CharField()
    message = serializers.CharField()
    remedy = serializers.CharField()


class OutcomeSerializer(serializers.Serializer[Any]):
    run = serializers.UUIDField(source="run_id")
    made = serializers.UUIDField(allow_null=True, help_text="The new run, if the run was run again")
    refusal = RefusalSerializer(allow_null=True)


class ManyRunsView(OperatorView):
    @extend_schema(
        summary="Cancel, run again, label or delete many runs",
        description="Does the same as each run's own address, run by run. If one run refuses, "
        "the others still get the action. The answer has the outcome for each run.",
        request=DeedSerializer,
        responses=OutcomeSerializer(many=True),
        parameters=[idempotency_key_parameter("run")],
    )
    def post(self, request: Request) -> Response:
        wanted = valid(DeedSerializer(data=request.data)).validated_data
        deed = Deed(
            wanted["action"],
            user_of(request),
            may(request, "admin"),
            wanted["label"],
            request.headers.get("Idempotency-Key"),
        )
        told = runs_each(wanted["runs"], deed)
        return Response(OutcomeSerializer(told, many=True).data)


class RunsExportView(generics.GenericAPIView[Any]):
    content_negotiation_class = IgnoresFormat
    serializer_class = RunSerializer
    filterset_class = RunFilter
    queryset = run_rows()

    @extend_schema(
        summary="Download runs with their whole traces as JSON lines",
        description="The runs in `runs`, or without it all runs that match the filters, newest "
        "first.",
        parameters=[
            OpenApiParameter(
                "runs", str, description=f"Ids of at most {MOST} runs, separated by commas"
            ),
            OpenApiParameter(
                "pictures",
                bool,
                description="Also the pictures of pages that agents saw, by id, as JPEG in Base64",
            ),
        ],
        filters=True,
        responses={(200, "application/jsonl"): OpenApiResponse(OpenApiTypes.BINARY)},
    )
    def get(self, request: Request) -> FileStream:
        return FileStream(
            self._pieces(request),
            user_id=user_of(request).pk,
            content_type="application/jsonl",
            headers={"Content-Disposition": 'attachment; filename="runs.jsonl"'},
        )

    def _pieces(self, request: Request) -> Iterator[bytes]:
        named = request.query_params.get("runs")
        asked = request.query_params.get("pictures", False)
        pictures = serializers.BooleanField().run_validation(asked)
        if named is None:
            matching = self.filter_queryset(self.get_queryset())
            return matching_file(matching, shown=_shown, pictures=pictures)
        wanted = valid(ManyRunsSerializer(data={"runs": named.split(",")}))
        return runs_file(wanted.validated_data["runs"], shown=_shown, pictures=pictures)


def _shown(row: Row) -> object:
    return RunSerializer(row).data

"""Benchmarks, datasets and their tasks: list, edit, import."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from apps.accounts.permissions import CuratorWrites, IsCurator, user_of
from apps.accounts.views import CuratorView
from apps.common.errors import too_large
from apps.common.pagination import ByKey, NewestFirst
from apps.common.parsers import OrjsonParser
from apps.common.serializers import valid
from apps.tasks import services
from apps.tasks.admission import admitted
from apps.tasks.columns import file_columns
from apps.tasks.composing import dataset_compose
from apps.tasks.episodes import dataset_of_episodes
from apps.tasks.imports import dataset_import
from apps.tasks.models import Dataset, Task
from apps.tasks.progress import HEADER, Tell, import_progress, import_stop, progress_told
from apps.tasks.questions import dataset_of_questions
from apps.tasks.selectors import datasets, task_list
from apps.tasks.serializers import (
    BenchmarkSerializer,
    ComposeSerializer,
    DatasetPatchSerializer,
    DatasetSerializer,
    EpisodesSerializer,
    FileColumnSerializer,
    GameSerializer,
    ImportProgressSerializer,
    ImportWantedSerializer,
    QuestionsSerializer,
    TaskImportSerializer,
    TaskSerializer,
    TaskSummarySerializer,
)
from apps.tasks.source import Source, from_hub, uploaded
from workers.core.benchmarks.benchmark import Benchmark
from workers.core.benchmarks.games.episodes import GAMES
from workers.core.benchmarks.registry import BENCHMARKS

HUB_SECONDS = 300.0
IMPORT_ID = OpenApiParameter(
    HEADER,
    OpenApiTypes.UUID,
    OpenApiParameter.HEADER,
    description="An id that you make up for this import. `/api/datasets/imports/{import_id}` "
    "then shows its progress.",
)


FILE_OR_HUB = dict.fromkeys(("multipart/form-data", "application/json"), ImportWantedSerializer)


class BenchmarksView(APIView):
    @extend_schema(
        responses=BenchmarkSerializer(many=True),
        summary="List the known kinds of datasets, and the kind for your own files",
    )
    def get(self, request: Request) -> Response:
        rows = [_benchmark(benchmark) for benchmark in BENCHMARKS.values()]
        return Response(BenchmarkSerializer(rows, many=True).data)


def _benchmark(benchmark: Benchmark) -> dict[str, Any]:
    names = ("key", "name", "description", "licence", "verifier", "answer_form", "columns")
    hub = benchmark.hub
    return {name: getattr(benchmark, name) for name in names} | {
        "hub_id": hub.repo_id if hub else None,
        "hub_splits": dict(hub.splits) if hub else {},
    }


class DatasetsView(generics.ListCreateAPIView[Dataset]):
    permission_classes = (CuratorWrites,)
    serializer_class = DatasetSerializer
    pagination_class = ByKey
    queryset = datasets()

    def perform_create(self, serializer: BaseSerializer[Dataset]) -> None:
        dataset = services.dataset_create(values=dict(serializer.validated_data))
        serializer.instance = datasets().get(pk=dataset.pk)


class DatasetView(generics.RetrieveUpdateDestroyAPIView[Dataset]):
    permission_classes = (CuratorWrites,)
    serializer_class = DatasetPatchSerializer
    lookup_field = "key"
    http_method_names = ("get", "patch", "delete", "head", "options")
    queryset = datasets()

    def perform_update(self, serializer: BaseSerializer[Dataset]) -> None:
        assert serializer.instance  # noqa: S101  an update always has one
        services.dataset_update(dataset=serializer.instance, values=dict(serializer.validated_data))

    def perform_destroy(self, instance: Dataset) -> None:
        services.dataset_delete(dataset=instance)


class DatasetImportView(CuratorView):
    parser_classes = (MultiPartParser, OrjsonParser)

    @extend_schema(
        request=FILE_OR_HUB,
        parameters=[IMPORT_ID],
        responses=TaskImportSerializer,
        summary="Import tasks from a file or from the hub: all or nothing, safe to repeat",
    )
    def post(self, request: Request, key: str) -> Response:
        dataset = get_object_or_404(Dataset, key=key)
        wanted = valid(ImportWantedSerializer(data=request.data))
        with _under_way(request, dataset, wanted) as (source, tell):
            report = dataset_import(
                dataset=dataset, source=source, options=wanted.options(), tell=tell
            )
        return Response(TaskImportSerializer(report).data)


class DatasetColumnsView(CuratorView):
    parser_classes = (MultiPartParser, OrjsonParser)

    @extend_schema(
        request=FILE_OR_HUB,
        parameters=[IMPORT_ID],
        responses=FileColumnSerializer(many=True),
        summary="List the columns of a file with the first values of each; stores nothing",
    )
    def post(self, request: Request, key: str) -> Response:
        dataset = get_object_or_404(Dataset, key=key)
        wanted = valid(ImportWantedSerializer(data=request.data))
        with _under_way(request, dataset, wanted) as (source, _):
            found = file_columns(source)
        return Response(FileColumnSerializer(found, many=True).data)


class DatasetComposeView(CuratorView):
    @extend_schema(
        request=ComposeSerializer,
        parameters=[IMPORT_ID],
        responses={201: DatasetSerializer},
        summary="Compose a new dataset from this dataset's numeric problems",
    )
    def post(self, request: Request, key: str) -> Response:
        source = get_object_or_404(Dataset, key=key)
        wanted = valid(ComposeSerializer(data=request.data))
        user_id = user_of(request).pk
        with progress_told(user_id, request.headers.get(HEADER)) as tell, admitted(user_id):
            made = dataset_compose(
                source=source,
                key=wanted.validated_data["key"],
                name=wanted.validated_data.get("name", ""),
                wanted=wanted.composition(),
                tell=tell,
            )
        return _created(made)


class GamesView(APIView):
    @extend_schema(
        responses=GameSerializer(many=True), summary="List the games that episodes are made of"
    )
    def get(self, request: Request) -> Response:
        return Response(
            [
                {
                    "key": game.key,
                    "name": game.name,
                    "description": game.description,
                    "options_schema": game.options.model_json_schema(),
                }
                for game in GAMES.values()
            ]
        )


class EpisodesView(CuratorView):
    @extend_schema(
        request=EpisodesSerializer,
        parameters=[IMPORT_ID],
        responses={201: DatasetSerializer},
        summary="Draw boards of a game as a new dataset",
    )
    def post(self, request: Request, key: str) -> Response:
        game = GAMES.get(key)
        if game is None:
            raise Http404
        wanted = valid(EpisodesSerializer(data=request.data))
        user_id = user_of(request).pk
        with progress_told(user_id, request.headers.get(HEADER)) as tell, admitted(user_id):
            made = dataset_of_episodes(
                game=game,
                key=wanted.validated_data["key"],
                name=wanted.validated_data.get("name", ""),
                wanted=wanted.wanted(),
                tell=tell,
            )
        return _created(made)


class QuestionsView(CuratorView):
    @extend_schema(
        request=QuestionsSerializer,
        parameters=[IMPORT_ID],
        responses={201: DatasetSerializer},
        summary="Draw questions that need research as a new dataset",
    )
    def post(self, request: Request) -> Response:
        wanted = valid(QuestionsSerializer(data=request.data))
        user_id = user_of(request).pk
        with progress_told(user_id, request.headers.get(HEADER)) as tell, admitted(user_id):
            made = dataset_of_questions(
                key=wanted.validated_data["key"],
                name=wanted.validated_data.get("name", ""),
                wanted=wanted.wanted(),
                tell=tell,
            )
        return _created(made)


def _created(made: Dataset) -> Response:
    found = datasets().get(pk=made.pk)
    return Response(DatasetSerializer(found).data, status=status.HTTP_201_CREATED)


class ImportUnderWayView(APIView):
    """One of your own imports or compositions, by the id that it was sent with."""

    permission_classes = (IsCurator,)

    @extend_schema(
        responses=ImportProgressSerializer,
        summary="Progress of your import; 404 before it starts and after it ends",
    )
    def get(self, request: Request, import_id: UUID) -> Response:
        found = import_progress(user_of(request).pk, import_id)
        if found is None:
            raise Http404
        return Response(ImportProgressSerializer(found).data)

    @extend_schema(
        responses={204: None}, summary="Stop your import: it changes nothing, unless it has ended"
    )
    def delete(self, request: Request, import_id: UUID) -> Response:
        import_stop(user_of(request).pk, import_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


@contextmanager
def _under_way(
    request: Request, dataset: Dataset, wanted: ImportWantedSerializer
) -> Iterator[tuple[Source, Tell]]:
    user_id = user_of(request).pk
    with (
        progress_told(user_id, request.headers.get(HEADER)) as tell,
        admitted(user_id),
        _source(dataset, wanted, tell) as source,
    ):
        yield source, tell


@contextmanager
def _source(dataset: Dataset, wanted: ImportWantedSerializer, tell: Tell) -> Iterator[Source]:
    data, options = wanted.validated_data, wanted.options()
    limit = settings.DATASET_MAX_BYTES
    if "file" in data:
        if data["file"].size > limit:
            raise too_large(limit)
        with uploaded(data["file"].name, data["file"].chunks()) as source:
            yield source
        return
    yield from_hub(
        BENCHMARKS.get(options.benchmark or dataset.benchmark, BENCHMARKS["custom"]),
        hub_id=data["hub_id"],
        hub_config=data.get("hub_config"),
        hub_split=data.get("hub_split", ""),
        split=options.split,
        max_bytes=limit,
        seconds=HUB_SECONDS,
        tell=tell,
    )


class TaskFilter(filters.FilterSet):
    id = filters.NumberFilter(label="Only the task with this id")
    split = filters.ChoiceFilter(choices=Task.Split.choices)
    q = filters.CharFilter(
        field_name="query", lookup_expr="icontains", max_length=500, label="Part of the question"
    )


class InOrder(NewestFirst):
    ordering = ("split", "index")


@extend_schema_view(get=extend_schema(summary="Tasks in order, with long texts cut"))
class TasksView(generics.ListAPIView[Task]):
    serializer_class = TaskSummarySerializer
    pagination_class = InOrder
    filterset_class = TaskFilter

    def get_queryset(self) -> QuerySet[Task]:
        if getattr(self, "swagger_fake_view", False):  # the API's document asks no database
            return Task.objects.none()
        return task_list(get_object_or_404(Dataset, key=self.kwargs["key"]))


class TaskView(APIView):
    @extend_schema(summary="One task in full", responses=TaskSerializer)
    def get(self, request: Request, key: str, task_id: int) -> Response:
        task = get_object_or_404(Task, dataset__key=key, id=task_id)
        return Response(TaskSerializer(task).data)

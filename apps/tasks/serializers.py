"""Datasets and tasks as HTTP bodies."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from apps.common.serializers import Object, SlugKeyField
from apps.tasks.composing import Composition
from apps.tasks.episodes import Wanted
from apps.tasks.imports import ImportOptions, ImportReport
from apps.tasks.making import MOST_TASKS
from apps.tasks.models import Dataset, Task
from apps.tasks.progress import PHASES, ImportProgress
from apps.tasks.questions import QuestionsWanted
from workers.core.benchmarks.compositional import LEVELS

SPLITS = Task.Split.choices
MAX_MAPPED = 50


class ColumnSerializer(Object):
    name = serializers.CharField()
    required = serializers.BooleanField()
    description = serializers.CharField()
    also = serializers.ListField(
        child=serializers.CharField(),
        help_text="Other names of the column, which are read in the same way",
    )


class BenchmarkSerializer(serializers.Serializer[Any]):
    """A known kind of file: which columns it has, and how its answers are judged."""

    key = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    licence = serializers.CharField(allow_blank=True)
    hub_id = serializers.CharField(allow_null=True)
    hub_splits = serializers.DictField(
        child=serializers.CharField(), help_text="Our split → its name on the hub"
    )
    verifier = serializers.CharField()
    answer_form = serializers.ChoiceField(choices=("text", "code"))
    columns = ColumnSerializer(many=True)


class SplitsSerializer(serializers.Serializer[Dataset]):
    """How many tasks each split has."""

    train = serializers.IntegerField(source="train_count")
    dev = serializers.IntegerField(source="dev_count")
    test = serializers.IntegerField(source="test_count")


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    key = SlugKeyField()
    benchmark = SlugKeyField(required=False)
    verifier = SlugKeyField(
        required=False,
        allow_blank=True,
        help_text="Judges every task imported from now on; if empty, the benchmark chooses",
    )
    splits = SplitsSerializer(source="*", read_only=True)

    class Meta:
        model = Dataset
        fields: tuple[str, ...] = (
            *("key", "name", "description", "source", "licence", "benchmark", "verifier", "splits"),
            *("digest", "created_at", "updated_at"),
        )
        read_only_fields = ("digest", "created_at", "updated_at")
        extra_kwargs = {"description": {"max_length": 10_000}}  # noqa: RUF012  DRF's own form


class DatasetPatchSerializer(DatasetSerializer):
    key = SlugKeyField(read_only=True)


class TaskSerializer(serializers.ModelSerializer[Task]):
    metadata = serializers.DictField(help_text="What the verifier needs: tests, choices, tolerance")

    class Meta:
        model = Task
        fields: tuple[str, ...] = (
            *("id", "split", "index"),
            *("query", "reference", "verifier", "domain", "metadata"),
        )


class TaskSummarySerializer(serializers.ModelSerializer[Task]):
    """A task in a list: `query` and `reference` are cut at 300 characters."""

    query = serializers.CharField(source="query_start", read_only=True)
    reference = serializers.CharField(source="reference_start", read_only=True)

    class Meta:
        model = Task
        fields = tuple(name for name in TaskSerializer.Meta.fields if name != "metadata")


class _MappingField(serializers.JSONField):
    """A form sends this field as text, which is read here and not by the body's parser."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            return super().to_internal_value(data)
        except RecursionError:
            self.fail("invalid")


class ImportWantedSerializer(serializers.Serializer[ImportOptions]):
    """A file as multipart, or an id on the hub as JSON or multipart."""

    file = serializers.FileField(
        required=False,
        max_length=255,
        help_text="JSON Lines, CSV or Parquet; the ending of the name decides",
    )
    hub_id = serializers.CharField(required=False, max_length=200, help_text="owner/name")
    hub_config = serializers.CharField(required=False, allow_blank=True, max_length=100)
    hub_split = serializers.CharField(required=False, allow_blank=True, max_length=100)
    split = serializers.ChoiceField(choices=SPLITS)
    benchmark = SlugKeyField(required=False, allow_blank=True)
    mapping = _MappingField(
        required=False, help_text="An object: the wanted column → the file's column"
    )
    replace = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Replace the split: tasks that are not in the file are removed",
    )
    dry_run = serializers.BooleanField(
        required=False, default=False, help_text="Only report what would change"
    )

    def validate_mapping(self, value: Any) -> dict[str, str]:
        if not isinstance(value, dict) or len(value) > MAX_MAPPED:
            raise serializers.ValidationError(
                _("Give an object that maps our columns to the file's columns.")
            )
        if not all(isinstance(text, str) and len(text) <= 200 for text in value.values()):
            raise serializers.ValidationError(
                _("The column names must be texts of at most 200 characters.")
            )
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("file" in attrs) == ("hub_id" in attrs):
            raise serializers.ValidationError(
                {"file": _("Give either a file or the id of a dataset on the hub as hub_id.")}
            )
        return attrs

    def options(self) -> ImportOptions:
        names = ("split", "benchmark", "mapping", "replace", "dry_run")
        data = self.validated_data
        return ImportOptions(**{name: data[name] for name in names if name in data})


class FileColumnSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    examples = serializers.ListField(
        child=serializers.CharField(), help_text="First values of the column, cut at 120 characters"
    )


class SkippedRowSerializer(serializers.Serializer[Any]):
    row = serializers.IntegerField(help_text="Number of the row, from 1, without the header")
    reason = serializers.CharField()


class PreviewTaskSerializer(TaskSerializer):
    class Meta(TaskSerializer.Meta):
        fields = tuple(name for name in TaskSerializer.Meta.fields if name != "id")


class TaskImportSerializer(serializers.Serializer[ImportReport]):
    """`skipped` names at most the first 100 of `skipped_count` rows."""

    rows = serializers.IntegerField()
    imported = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    removed = serializers.IntegerField()
    skipped = SkippedRowSerializer(many=True)
    skipped_count = serializers.IntegerField()
    preview = PreviewTaskSerializer(many=True)
    dry_run = serializers.BooleanField()


class SplitCountsSerializer(serializers.Serializer[dict[str, int]]):
    train = serializers.IntegerField(default=0, min_value=0, max_value=MOST_TASKS)
    dev = serializers.IntegerField(default=0, min_value=0, max_value=MOST_TASKS)
    test = serializers.IntegerField(default=0, min_value=0, max_value=MOST_TASKS)


class ComposeSerializer(serializers.Serializer[Composition]):
    """A new dataset of tasks that are composed from another dataset's tasks."""

    key = SlugKeyField(help_text="Key of the new dataset")
    name = serializers.CharField(required=False, max_length=120)
    splits = SplitCountsSerializer(
        help_text=f"Tasks of each level, from the same split; at most {MOST_TASKS:,} in total"
    )
    levels = serializers.ListField(
        child=serializers.ChoiceField(choices=list(LEVELS)),
        required=False,
        allow_empty=False,
        max_length=len(LEVELS),
        help_text="of " + ", ".join(f"{nodes} problems ({name})" for name, nodes in LEVELS.items()),
    )
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)

    def composition(self) -> Composition:
        names = ("splits", "levels", "seed")
        data = self.validated_data
        return Composition(**{name: data[name] for name in names if name in data})


class GameSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    options_schema = serializers.DictField(help_text="JSON Schema of `options`")


class EpisodesSerializer(serializers.Serializer[Wanted]):
    """A new dataset of a game's episodes."""

    key = SlugKeyField(help_text="Key of the new dataset")
    name = serializers.CharField(required=False, max_length=120)
    splits = SplitCountsSerializer(
        help_text=f"Episodes of each split; at most {MOST_TASKS:,} in total"
    )
    options = serializers.DictField(
        required=False, help_text="As in the game's `options_schema`; what is missing has a default"
    )
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)

    def wanted(self) -> Wanted:
        names = ("splits", "options", "seed")
        data = self.validated_data
        return Wanted(**{name: data[name] for name in names if name in data})


class QuestionsSerializer(serializers.Serializer[QuestionsWanted]):
    """A new dataset of questions that need research."""

    key = SlugKeyField(help_text="Key of the new dataset")
    name = serializers.CharField(required=False, max_length=120)
    splits = SplitCountsSerializer(
        help_text=f"Questions of each split; at most {MOST_TASKS:,} in total"
    )
    levels = serializers.ListField(
        child=serializers.IntegerField(),
        required=False,
        help_text="1: compares two countries; 2: neighbours; 3: several steps, or a file",
    )
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)

    def wanted(self) -> QuestionsWanted:
        names = ("splits", "levels", "seed")
        data = self.validated_data
        return QuestionsWanted(**{name: data[name] for name in names if name in data})


class ImportProgressSerializer(serializers.Serializer[ImportProgress]):
    phase = serializers.ChoiceField(choices=PHASES)
    done = serializers.IntegerField(help_text="Bytes for downloading and reading, otherwise tasks")
    total = serializers.IntegerField()
    seconds = serializers.FloatField(help_text="Seconds since the phase began")

"""Imports a file, or a dataset from the hub, on the command line. Safe to repeat."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from apps.common.errors import ApplicationError
from apps.common.terminal import LongHelp
from apps.tasks.imports import ImportOptions, ImportReport, dataset_import
from apps.tasks.models import Dataset, Task
from apps.tasks.services import dataset_create
from apps.tasks.source import Source, from_hub, on_this_machine
from workers.core.benchmarks.registry import BENCHMARKS


class Command(LongHelp):
    help = (
        "Import tasks, for example:\n"
        "  load_dataset gsm8k gsm8k_train.jsonl --benchmark gsm8k --split train\n"
        "  load_dataset mine questions.csv --split test --mapping query=Frage reference=Antwort\n"
        "  load_dataset mbpp --hub --benchmark mbpp --split test\n"
        "Files that rows of GAIA name are read from the folder of the rows, or from the hub."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "key", help="key of the dataset; a new dataset is made if there is none"
        )
        parser.add_argument("file", nargs="?", type=Path, help=".jsonl, .csv or .parquet")
        parser.add_argument("--benchmark", choices=sorted(BENCHMARKS), default="")
        parser.add_argument("--split", choices=Task.Split.values, required=True)
        parser.add_argument("--name", default="", help="name of a new dataset")
        parser.add_argument(
            "--hub",
            nargs="?",
            const="",
            metavar="OWNER/NAME",
            help="import from the hub, not from a file",
        )
        parser.add_argument("--hub-config")
        parser.add_argument("--hub-split", default="")
        parser.add_argument("--mapping", nargs="*", default=[], metavar="OURS=THEIRS")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace the split: tasks that are not in the file are removed",
        )
        parser.add_argument("--dry-run", action="store_true", help="only report what would change")

    def handle(self, **options: Any) -> None:
        try:
            report = self._import(options)
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from error
        except ApplicationError as error:
            raise CommandError(f"{error.message} {error.remedy}") from error
        self._tell(options["key"], report)

    def _import(self, options: dict[str, Any]) -> ImportReport:
        if (options["file"] is None) == (options["hub"] is None):
            raise CommandError("Give either a file or --hub.")
        dataset = Dataset.objects.filter(key=options["key"]).first()
        benchmark = options["benchmark"] or (dataset.benchmark if dataset else "custom")
        source = self._source(benchmark, options)
        wanted = ImportOptions(
            split=options["split"],
            benchmark=benchmark,
            mapping=_mapping(options["mapping"]),
            replace=options["replace"],
            dry_run=options["dry_run"],
        )
        with transaction.atomic():  # an import that fails leaves no empty dataset behind
            if dataset is None:
                name = options["name"] or options["key"]
                values = {"key": options["key"], "name": name, "benchmark": benchmark}
                dataset = dataset_create(values=values)
            report = dataset_import(dataset=dataset, source=source, options=wanted)
            transaction.set_rollback(wanted.dry_run)
        return report

    def _source(self, benchmark: str, options: dict[str, Any]) -> Source:
        if options["file"] is not None:
            return on_this_machine(options["file"])
        return from_hub(
            BENCHMARKS[benchmark],
            hub_id=options["hub"],
            hub_config=options["hub_config"],
            hub_split=options["hub_split"],
            split=options["split"],
        )

    def _tell(self, key: str, report: ImportReport) -> None:
        verb = "would be " if report.dry_run else ""
        self.stdout.write(
            f"{key}: {report.imported:,} tasks {verb}imported, {report.removed:,} {verb}removed, "
            f"{report.unchanged:,} unchanged, {report.skipped_count:,} rows skipped"
        )
        for skipped in report.skipped:
            self.stderr.write(f"row {skipped.row:,}: {skipped.reason}")


def _mapping(pairs: list[str]) -> dict[str, str]:
    for pair in pairs:
        if "=" not in pair:
            raise CommandError(f"--mapping takes OURS=THEIRS, not {pair!r}.")
    return {ours: theirs for ours, _, theirs in (pair.partition("=") for pair in pairs)}

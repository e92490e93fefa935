"""Makes a dataset of compositional tasks from a numeric one, on the command line."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.common.errors import ApplicationError
from apps.common.terminal import LongHelp
from apps.tasks.composing import Composition, dataset_compose
from apps.tasks.models import Dataset
from apps.tasks.terminal import PhaseBars, split_counts
from workers.core.benchmarks.compositional import LEVELS

SIZES = ", ".join(f"{level} {nodes}" for level, nodes in LEVELS.items())


class Command(LongHelp):
    help = (
        "Compose tasks from the numeric problems of a dataset, which need each other's answers, "
        "for example:\n"
        "  compose_dataset gsm8k gsm8k-composed --split train:200 test:50\n"
        "  compose_dataset gsm8k gsm8k-hard --split dev:30 --levels hard --seed 7"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", help="key of the dataset with the problems")
        parser.add_argument("key", help="key of the new dataset")
        parser.add_argument(
            "--split",
            nargs="+",
            required=True,
            metavar="SPLIT:COUNT",
            help="tasks of each level, from the same split of the source",
        )
        parser.add_argument(
            "--levels", nargs="+", choices=LEVELS, default=list(LEVELS), help=f"problems: {SIZES}"
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--name", default="", help="name of the new dataset")

    def handle(self, **options: Any) -> None:
        wanted = Composition(split_counts(options["split"]), options["levels"], options["seed"])
        source = Dataset.objects.filter(key=options["source"]).first()
        if source is None:
            raise CommandError(f"There is no dataset “{options['source']}”. Load it first.")
        try:
            made = dataset_compose(
                source=source,
                key=options["key"],
                name=options["name"],
                wanted=wanted,
                tell=PhaseBars(),
            )
        except ApplicationError as error:
            raise CommandError(error.lines()) from error
        self.stdout.write(
            f"{made.key}: {made.tasks.count():,} tasks composed of {source.key}, digest "
            f"{made.digest}"
        )

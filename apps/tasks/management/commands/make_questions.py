"""Makes a dataset of questions that need research, on the command line."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.common.errors import ApplicationError
from apps.common.terminal import LongHelp
from apps.tasks.questions import QuestionsWanted, dataset_of_questions
from apps.tasks.terminal import PhaseBars, split_counts
from workers.core.benchmarks.research.questions import LEVELS


class Command(LongHelp):
    help = (
        "Draw questions about the countries of the world that need several pages, for example:\n"
        "  make_questions research --split train:200 dev:50 test:100 --levels 1 2\n\n"
        "Their pages are in the studio's own search. No question is in two splits."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="key of the new dataset")
        parser.add_argument(
            "--split", nargs="+", required=True, metavar="SPLIT:COUNT", help="questions of a split"
        )
        parser.add_argument("--levels", nargs="+", type=int, choices=LEVELS, default=LEVELS)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--name", default="", help="name of the new dataset")

    def handle(self, **options: Any) -> None:
        wanted = QuestionsWanted(split_counts(options["split"]), options["levels"], options["seed"])
        try:
            made = dataset_of_questions(
                key=options["key"], name=options["name"], wanted=wanted, tell=PhaseBars()
            )
        except ApplicationError as error:
            raise CommandError(error.lines()) from error
        self.stdout.write(f"{made.key}: {made.tasks.count():,} questions, digest {made.digest}")

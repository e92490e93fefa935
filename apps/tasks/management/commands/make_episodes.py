"""Makes a dataset of a game's episodes, on the command line."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.common.errors import ApplicationError
from apps.common.terminal import LongHelp, read_setting
from apps.tasks.episodes import Wanted, dataset_of_episodes
from apps.tasks.terminal import PhaseBars, split_counts
from workers.core.benchmarks.games.episodes import GAMES

OPTIONS = "\n".join(
    f"  {game.key}: "
    + ", ".join(f"{name}={field.default}" for name, field in game.options.model_fields.items())
    for game in GAMES.values()
)


class Command(LongHelp):
    help = (
        "Draw boards of a game as a dataset of tasks. No board is in two splits, for example:\n"
        "  make_episodes plan_path paths-5 --split train:1000 test:200 --set size=5\n\n"
        f"Games, with their options and defaults:\n{OPTIONS}"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", choices=GAMES)
        parser.add_argument("key", help="key of the new dataset")
        parser.add_argument(
            "--split", nargs="+", required=True, metavar="SPLIT:COUNT", help="episodes of a split"
        )
        parser.add_argument(
            "--set", nargs="+", default=[], metavar="OPTION=VALUE", help="options of the game"
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--name", default="", help="name of the new dataset")

    def handle(self, **options: Any) -> None:
        chosen = dict(map(read_setting, options["set"]))
        wanted = Wanted(split_counts(options["split"]), chosen, options["seed"])
        try:
            made = dataset_of_episodes(
                game=GAMES[options["game"]],
                key=options["key"],
                name=options["name"],
                wanted=wanted,
                tell=PhaseBars(),
            )
        except ApplicationError as error:
            raise CommandError(error.lines()) from error
        self.stdout.write(f"{made.key}: {made.tasks.count():,} episodes, digest {made.digest}")

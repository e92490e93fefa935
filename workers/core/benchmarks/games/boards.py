"""Games as benchmarks: a row of a file is a board."""

from workers.core.benchmarks.benchmark import Benchmark, Column, Row, RowError, text
from workers.core.benchmarks.games.base import BoardError, Game
from workers.core.benchmarks.games.episodes import GAMES, VERIFIER, task_of
from workers.core.specs import TaskSpec


def game_benchmark(game: Game) -> Benchmark:
    def to_task(row: Row) -> TaskSpec:
        board = text(row, "board").strip().replace("\r\n", "\n")
        try:
            return task_of(game, board, domain=text(row, "domain") or game.name)
        except BoardError as error:
            raise RowError(f"the column “board” can't be read: {error}") from error

    return Benchmark(
        key=game.key,
        name=game.name,
        description=game.description,
        licence="CC0-1.0",
        verifier=VERIFIER,
        columns=(
            Column("board", "the board, row by row"),
            Column("domain", "a word or two to group tasks by", required=False),
        ),
        to_task=to_task,
    )


GAME_BENCHMARKS = {game.key: game_benchmark(game) for game in GAMES.values()}

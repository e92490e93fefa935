"""Compares the games with those of reasoning-gym and gem-llm, board by board.

    bin/studio bench games [--boards 100] [--python PATH] [--folder FOLDER] [--show]

The libraries are installed once, in an environment below .studio/bench/games; `--python` names
another one that has them. Each source, ours included, draws as many boards as asked, and each board
is tried a second time with one cell closed or emptied, which often leaves no solution or several.
A board that is solved before the first move is left out. On each board, we and the libraries that
have the game must agree:

 - We read the board and write it the same.
 - Both find a solution, or both find that there is none, or none alone; a shortest way is as long.
 - Each calls the other's solution right.
 - Both say the same of answers that were spoiled, and so does a team that plays them.

The last line has `boards`, `verdicts` that were compared, and `disagreements`: the boards on which
any of this fails. `--show` prints them.
"""

import argparse
import json
import random
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any

from bench.common.environments import environment, pip
from bench.common.report import report
from studio.launcher.folder import ROOT
from workers.core.benchmarks.games.episodes import BOARD, GAMES, episode
from workers.core.benchmarks.games.moves import STEPS, read_moves, written
from workers.core.benchmarks.games.plan_path import FREE, WALL, Maze
from workers.core.benchmarks.games.sokoban import FLOOR, Room, shortest
from workers.core.benchmarks.games.sudoku import SIZE, Grid, read_grid
from workers.core.environments.games import TEAMS, Play

PACKAGES = ("reasoning-gym==0.1.23", "gem-llm==0.1.0")
"""gem-llm asks for this reasoning-gym. What else it asks for, its games do not need."""
SCRIPT = Path(__file__).parent / "common" / "other_games.py"
OURS = "this studio"
SOURCES = {
    "plan_path": ("reasoning-gym shortest_path", "reasoning-gym maze"),
    "sudoku": ("reasoning-gym mini_sudoku", "gem-llm sudoku"),
    "sokoban": ("reasoning-gym sokoban", "gem-llm sokoban"),
}
SOLVERS = {
    "plan_path": ("reasoning-gym",),
    "sudoku": ("reasoning-gym", "gem-llm"),
    "sokoban": ("reasoning-gym",),
}
JUDGES = SOLVERS | {"sokoban": ("reasoning-gym", "gem-llm")}
CHANGES = {"plan_path": (FREE, WALL), "sudoku": ("1234", "_"), "sokoban": (FLOOR, WALL)}
"""Marks that a board is changed at, and what they become."""
SPOILED = 8
"""Answers to each board."""
SEARCHED = 1_000_000
"""Limit of the states in our search. An episode's own is smaller."""

Ask = Callable[..., Any]
"""What, whose, and the rest, as `common/other_games.py` takes them."""
Answer = Sequence[str | int]
"""Moves, or the numbers of a grid."""


def fill(python: Path) -> None:
    pip(python, "install", PACKAGES[0])
    pip(python, "install", "--no-deps", PACKAGES[1])


@contextmanager
def asking(python: Path) -> Iterator[Ask]:
    with subprocess.Popen(
        [str(python), str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        given, taken = other.stdin, other.stdout
        if given is None or taken is None:
            raise RuntimeError("The other process has no pipes.")

        def ask(*question: Any) -> Any:
            print(json.dumps(question), file=given, flush=True)
            line = taken.readline()
            if not line:
                raise SystemExit("The libraries' process ended. Its error stands above.")
            return json.loads(line)

        try:
            yield ask
        finally:
            other.kill()


def read(game: str, text: str) -> Answer:
    """An answer as the studio reads it; (): it reads none."""
    if game != "sudoku":
        return read_moves(text) or ()
    grid = read_grid(text)
    return grid.cells if grid else ()


def told(game: str, answer: Answer) -> str:
    """The answer as a message."""
    if game != "sudoku":
        return f"Answer: {written([str(move) for move in answer])}"
    return f"Answer:\n{Grid(tuple(map(int, answer))).text()}"


def solved(game: str, board: str) -> Answer:
    """Our solution; (): there is none, or several where only one may be."""
    if game == "sokoban":
        return shortest(Room.read(board), searched=SEARCHED) or ()
    return read(game, GAMES[game].solution(board) or "")


def spoiled(game: str, answer: Answer, generator: random.Random) -> Answer:
    """The answer with one part changed, removed (0 in a grid) or put in; a walk if it is empty."""
    made: list[str | int] = list(answer)
    if game == "sudoku":
        made[generator.randrange(len(made))] = generator.randrange(SIZE + 1)
        return made
    if not made:
        return generator.choices(tuple(STEPS), k=12)
    at, how = generator.randrange(len(made)), generator.randrange(3)
    made[at : at + (how > 0)] = [generator.choice(tuple(STEPS))] if how < 2 else []
    return made


def changed(game: str, board: str, generator: random.Random) -> str | None:
    """The board with a free cell closed, or a number taken away; None: it has no such cell."""
    before, after = CHANGES[game]
    places = [at for at, mark in enumerate(board) if mark in before]
    if not places:
        return None
    at = generator.choice(places)
    return board[:at] + after + board[at + 1 :]


READERS: dict[str, type[Maze] | type[Grid] | type[Room]] = {
    "plan_path": Maze,
    "sudoku": Grid,
    "sokoban": Room,
}


@dataclass(slots=True)
class Comparison:
    """The boards of a game from one source. `right`: of the verdicts. `apart`: each board on which
    we and a library disagree, with the reasons, for people."""

    ask: Ask
    game: str
    generator: random.Random
    boards: int = 0
    solvable: int = 0
    verdicts: int = 0
    right: int = 0
    apart: list[str] = field(default_factory=list)

    def add(self, board: str, drawn: Mapping[str, Any]) -> None:
        """`drawn`: what the source says of the board, as `common/other_games.py` gives it."""
        wrong = list(self._wrong(board, drawn))
        self.boards += 1
        if wrong:
            self.apart.append("\n".join([self.game, board, *wrong]))

    def _wrong(self, board: str, drawn: Mapping[str, Any]) -> Iterator[str]:
        if READERS[self.game].read(board).text() != board:
            yield "We read the board and write another one."
        ours = solved(self.game, board)
        self.solvable += bool(ours)
        theirs = {
            name: self.ask("solve", f"{name} {self.game}", board) for name in SOLVERS[self.game]
        }
        if "solution" in drawn:
            theirs["the source"] = drawn["solution"]
        for name, text in theirs.items():
            if bool(text) != bool(ours):
                yield f"{name} finds “{text}”, we find {ours}."
            elif text and self.game == "plan_path" and len(read(self.game, text)) != len(ours):
                yield f"{name}'s shortest way is “{text}”, ours {ours}."
            elif text and not all(self._ours(board, text)):
                yield f"We call the solution of {name} wrong: “{text}”."
        if drawn.get("moves", len(ours)) != len(ours):
            yield f"The source's shortest way takes {drawn['moves']} moves, ours {len(ours)}."
        if self.game == "sudoku" and not ours:
            return  # with several solutions or none, no verdict is given
        answers = [spoiled(self.game, ours, self.generator) for _ in range(SPOILED)]
        for answer in [ours, *answers] if ours else answers:
            yield from self._verdicts(board, answer)

    def _verdicts(self, board: str, answer: Answer) -> Iterator[str]:
        said = told(self.game, answer)
        verdict, by_team = self._ours(board, said)
        if by_team != verdict:
            yield f"We say {verdict}, a team that plays it {by_team}: {said}"
        for name in JUDGES[self.game]:
            other = self.ask("judge", f"{name} {self.game}", board, answer)
            self.verdicts += 1
            self.right += verdict
            if other != verdict:
                yield f"We say {verdict}, {name} says {other}: {said}"

    def _ours(self, board: str, said: str) -> tuple[bool, bool]:
        """The verifier's verdict, and whether a team that plays the message solves the board."""
        team = TEAMS[self.game]()
        after = team.play(Play(start=board, board=board), said).board
        return GAMES[self.game].judge(board, said).solved, team.is_solved(after)


def drawn_by(ask: Ask, source: str, game: str, seeds: Iterable[int]) -> Iterator[Mapping[str, Any]]:
    """Boards that are not solved yet."""
    team = TEAMS[game]()
    for seed in seeds:
        if source == OURS:
            task = episode(GAMES[game], GAMES[game].options(), split="train", seed=seed)
            drawn = {"board": task.metadata[BOARD]}
        else:
            drawn = ask("draw", source, seed)
        if not team.is_solved(drawn["board"]):
            yield drawn


def compared(ask: Ask, source: str, game: str, boards: int) -> Comparison:
    comparison = Comparison(ask, game, random.Random(f"{source} {game}"))
    for drawn in islice(drawn_by(ask, source, game, count()), boards):
        board = drawn["board"]
        comparison.add(board, drawn)
        other = changed(game, board, comparison.generator)
        if other is not None:
            comparison.add(other, {})
    return comparison


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the games with two public libraries.")
    parser.add_argument("--boards", type=int, default=100, help="from each source of each game")
    parser.add_argument("--python", type=Path, help="of an environment that has the libraries")
    made = ROOT / ".studio" / "bench" / "games"
    parser.add_argument("--folder", type=Path, default=made, help="for what it makes")
    parser.add_argument("--show", action="store_true", help="print each board with a disagreement")
    options = parser.parse_args()
    folder = options.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with asking(options.python or environment(folder, fill)) as ask:
        done = {
            (game, source): compared(ask, source, game, options.boards)
            for game, sources in SOURCES.items()
            for source in (OURS, *sources)
        }
    for told_apart in [each for c in done.values() for each in c.apart] if options.show else ():
        print(f"{told_apart}\n")
    lines = [
        (game, source, *map(str, (c.boards, c.solvable, c.verdicts, c.right, len(c.apart))))
        for (game, source), c in done.items()
    ]
    columns = ("game", "source", "boards", "solvable", "verdicts", "right", "disagreements")
    report(
        "games",
        columns,
        lines,
        games=len(SOURCES),
        boards=sum(c.boards for c in done.values()),
        verdicts=sum(c.verdicts for c in done.values()),
        disagreements=sum(len(c.apart) for c in done.values()),
    )


if __name__ == "__main__":
    main()

"""Sokoban: push every box onto a target (as in AT-GRPO, arXiv 2510.11062, §5.1).

Boards are in the usual notation: `#` wall, `_` floor, `.` target, `$` box, `*` box on a target, `@`
player, `+` player on a target.
"""

import random
import sys
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Self

from pydantic import Field

from workers.core.benchmarks.games.base import (
    MOVES_FORM,
    BoardError,
    Drawn,
    GameOptions,
    Judged,
    NoBoard,
    framed,
)
from workers.core.benchmarks.games.grid import cells_of, rows_of
from workers.core.benchmarks.games.moves import (
    STEPS,
    Cell,
    Moves,
    counted,
    moved,
    read_moves,
    written,
)

MARKS = "#_.$*@+"
WALL, FLOOR, TARGET, BOX, BOX_ON_TARGET, PLAYER, PLAYER_ON_TARGET = tuple(MARKS)
MOST_ROWS = 20
MOST_BOXES = 8
TRIES = 200
PULLS = 100
"""Random moves backwards for each box."""
SEARCHED = 5_000
"""Limit of the states in a search for the shortest solution."""
BACK = {"up": "down", "down": "up", "left": "right", "right": "left"}


class SokobanOptions(GameOptions):
    size: int = Field(
        default=6, ge=5, le=MOST_ROWS, description="Rows and columns, the walls around included."
    )
    boxes: int = Field(default=1, ge=1, le=MOST_BOXES, description="Number of boxes.")
    walls: float = Field(
        default=0.1, ge=0, le=0.5, description="Share of the cells inside that are walls."
    )

    def label(self) -> str:
        boxes = "1 box" if self.boxes == 1 else f"{self.boxes} boxes"
        return f"{self.size}×{self.size}, {boxes}"


@dataclass(frozen=True, slots=True)
class Room:
    """`walls` are the rows of the board with floor in place of all else."""

    walls: tuple[str, ...]
    targets: frozenset[Cell]
    boxes: frozenset[Cell]
    player: Cell

    @classmethod
    def read(cls, board: str) -> Self:
        """Raises BoardError."""
        rows = rows_of(board, marks=MARKS, most=MOST_ROWS)
        players = cells_of(rows, PLAYER + PLAYER_ON_TARGET)
        targets = frozenset(cells_of(rows, TARGET + BOX_ON_TARGET + PLAYER_ON_TARGET))
        boxes = frozenset(cells_of(rows, BOX + BOX_ON_TARGET))
        if len(players) != 1:
            raise BoardError(f"a board has one player, not {len(players)}")
        if not boxes or len(boxes) != len(targets):
            raise BoardError(
                f"a board has as many boxes as targets, not {len(boxes)} and {len(targets)}"
            )
        walls = tuple("".join(WALL if mark == WALL else FLOOR for mark in row) for row in rows)
        return cls(walls, targets, boxes, players[0])

    def text(self) -> str:
        rows = [list(row) for row in self.walls]
        for row, column in self.targets:
            rows[row][column] = TARGET
        for row, column in self.boxes:
            rows[row][column] = BOX_ON_TARGET if (row, column) in self.targets else BOX
        row, column = self.player
        rows[row][column] = PLAYER_ON_TARGET if self.player in self.targets else PLAYER
        return "\n".join("".join(line) for line in rows)

    def is_floor(self, cell: Cell) -> bool:
        row, column = cell
        return (
            0 <= row < len(self.walls)
            and 0 <= column < len(self.walls[0])
            and self.walls[row][column] != WALL
        )

    def moved(self, move: str) -> "Room | None":
        """None: a wall, or a box that can't be pushed, is in the way."""
        cell = moved(self.player, move)
        if not self.is_floor(cell):
            return None
        if cell not in self.boxes:
            return replace(self, player=cell)
        beyond = moved(cell, move)
        if not self.is_floor(beyond) or beyond in self.boxes:
            return None
        return replace(self, player=cell, boxes=self.boxes - {cell} | {beyond})

    @property
    def is_solved(self) -> bool:
        """Also of a room with some of its boxes."""
        return self.boxes <= self.targets

    @property
    def on_target(self) -> int:
        return len(self.boxes & self.targets)


def shortest(
    room: Room,
    *,
    searched: int = SEARCHED,
    among: Collection[frozenset[Cell]] | None = None,
) -> Moves | None:
    """A shortest solution; None if there is none among the first `searched` states. `among`: the
    boxes may only stand as in one of these."""
    came: dict[Room, tuple[Room, str] | None] = {room: None}
    waiting = deque([room])
    while waiting and len(came) < searched:
        here = waiting.popleft()
        if here.is_solved:
            return _way_to(here, came)
        for move in STEPS:
            after = here.moved(move)
            if after is None or after in came:
                continue
            if among is None or after.boxes in among:
                came[after] = here, move
                waiting.append(after)
    return None


def _way_to(room: Room, came: dict[Room, tuple[Room, str] | None]) -> Moves:
    moves: list[str] = []
    while (step := came[room]) is not None:
        room, move = step
        moves.append(move)
    return tuple(reversed(moves))


def solve(room: Room, start: Room, known: Moves) -> Moves | None:
    """A shortest solution. If the search gives up: the shortest in which the boxes stand as they do
    now, or as somewhere on the way that the `known` moves go from `start`. These are few states,
    however large the room is."""
    if (found := shortest(room)) is not None:
        return found
    among, here = {room.boxes, start.boxes}, start
    for move in known:
        after = here.moved(move)
        if after is None:
            break
        among.add(after.boxes)
        here = after
    return shortest(room, searched=sys.maxsize, among=among)


def alone(room: Room) -> Moves | None:
    """The moves that bring one box onto a target if there are no other boxes."""
    for box in sorted(room.boxes - room.targets):
        if moves := shortest(replace(room, boxes=frozenset({box}))):
            return moves
    return None


def pulled_apart(room: Room, generator: random.Random, steps: int) -> tuple[Room, Moves]:
    """A room from which this solved one can be reached, and the moves that do: each random step is
    a move backwards, which pulls the box behind the player along if it can. Of the rooms on the
    way, the one with the fewest boxes on targets, and among those the one with its boxes farthest
    from them."""
    best, least, far = room, _nearness(room), 0
    made: list[str] = []
    for _ in range(steps):
        move = generator.choice(list(STEPS))
        cell = moved(room.player, move)
        if not room.is_floor(cell) or cell in room.boxes:
            continue
        behind = moved(room.player, BACK[move])
        boxes = room.boxes
        if behind in boxes and generator.random() < 0.8:
            boxes = boxes - {behind} | {room.player}
        room = replace(room, player=cell, boxes=boxes)
        made.append(move)
        if (nearness := _nearness(room)) <= least:
            best, least, far = room, nearness, len(made)
    return best, tuple(BACK[move] for move in reversed(made[:far]))


def _nearness(room: Room) -> tuple[int, int]:
    """The boxes on targets, and the sum of all boxes' distances to their nearest targets, less than
    nothing."""
    distances = (
        min(abs(row - to_row) + abs(column - to_column) for to_row, to_column in room.targets)
        for row, column in room.boxes
    )
    return room.on_target, -sum(distances)


@dataclass(frozen=True, slots=True)
class Sokoban:
    key: str = "sokoban"
    name: str = "Sokoban"
    description: str = "Push every box onto a target."
    options: type[SokobanOptions] = SokobanOptions

    def draw(self, generator: random.Random, options: SokobanOptions) -> Drawn:
        """Drawn backwards from a solved room, so the way back solves every board. No box starts on
        a target, and on average they start at least two cells from the nearest one."""
        inside = [
            (row, column)
            for row in range(1, options.size - 1)
            for column in range(1, options.size - 1)
        ]
        for _ in range(TRIES):
            walls = set(generator.sample(inside, round(options.walls * len(inside))))
            floor = [cell for cell in inside if cell not in walls]
            if len(floor) < 2 * options.boxes + 1:
                break
            rows = tuple(
                "".join(FLOOR if (row, column) in floor else WALL for column in range(options.size))
                for row in range(options.size)
            )
            *targets, player = generator.sample(floor, options.boxes + 1)
            done = Room(rows, frozenset(targets), frozenset(targets), player)
            room, back = pulled_apart(done, generator, PULLS * options.boxes)
            if _nearness(room) <= (0, -2 * options.boxes):
                return Drawn(room.text(), _answer(back))
        raise NoBoard(
            f"Hardly a room of {options.size}×{options.size} has {options.boxes} boxes that can be "
            "pushed: it is too tight, or too large for the player to reach all boxes. Choose fewer "
            "boxes or walls, or another size."
        )

    rules = (
        "Push every box onto a target. # is a wall, _ is floor, @ is you, $ is a box, and . is "
        "a target; * is a box on a target, and + is you on one. A move goes one cell up, down, "
        "left or right, and pushes a box that is there if the cell behind it is free. Boxes "
        "can't be pulled. A move that is blocked ends the game."
    )
    form = MOVES_FORM

    def question(self, board: str) -> str:
        Room.read(board)
        return framed(self, board)

    def solution(self, board: str, known: str = "") -> str | None:
        room = Room.read(board)
        moves = solve(room, room, read_moves(known) or ())
        return None if moves is None else _answer(moves)

    def judge(self, board: str, answer: str) -> Judged:
        """`share`: that of the boxes on targets."""
        room = Room.read(board)
        moves = read_moves(answer)
        if moves is None:
            return Judged(False, 0.0, "The answer has no list of moves.")
        after, made = pushed(room, moves)
        if after.is_solved:
            return Judged(True, 1.0, f"Every box is on a target after {counted(made)}.")
        why = (
            f"Move {made + 1} (“{moves[made]}”) is blocked"
            if made < len(moves)
            else f"The game ends after {counted(made)}"
        )
        on, total = after.on_target, len(room.boxes)
        boxes = "the box on no target" if total == 1 else f"{on} of {total} boxes on targets"
        return Judged(False, on / total, f"{why}, with {boxes}.")


def _answer(moves: Moves) -> str:
    return f"Answer: {written(moves)}"


def pushed(room: Room, moves: Moves) -> tuple[Room, int]:
    """The room after the moves, and how many were made: until it is solved, or one is blocked."""
    for made, move in enumerate(moves):
        if room.is_solved:
            return room, made
        after = room.moved(move)
        if after is None:
            return room, made
        room = after
    return room, len(moves)

"""Two agents play a game: one proposes an answer, the other commits to one (AT-GRPO, §5.1).

Only what the second agent commits moves the board. The first agent either writes a program, whose
output is its proposal, or writes the proposal itself. Either may also play alone, as a baseline.

Deviations, and choices where the paper is silent:
 1. The first agent's message is rewarded as if its proposal were committed: nothing else of its
    turn is known when its branches are compared.
 2. The team's parts are those of a solution (goal, shortest, solved). What an answer does on the
    way (steps, blocked moves, progress) is the agent's own part.
 3. A blocked move ends the list, and costs once. A message without an answer costs as much.
 4. Sudoku: “progress” is the share of the empty cells that are right now and were not before.
 5. In letters, a cell that does not touch the one before it is a blocked move.
 6. Plan-Path: the shaping is of an answer, not of each of its moves. Summed over moves, γ < 1 would
    reward a walk to and fro for as long as it stays away from the goal.
"""

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from workers.core.answers.programs import extract_program
from workers.core.benchmarks.games.base import BoardError
from workers.core.benchmarks.games.episodes import BOARD, GAME, GAMES
from workers.core.benchmarks.games.moves import STEPS, Cell, Moves, read_moves, written
from workers.core.benchmarks.games.plan_path import Maze, walked
from workers.core.benchmarks.games.sokoban import Room, alone, pushed, solve
from workers.core.benchmarks.games.sudoku import EMPTY, SIZE, Grid, read_grid, the_solution
from workers.core.environments.base import UNCUT, Acted, EpisodeError, Order, Reward
from workers.core.environments.cells import MOST, NAME, moves_along, named, way_of
from workers.core.environments.programs import LIMITS, require_sandbox
from workers.core.specs import RoleSpec, TaskSpec
from workers.core.tools.sandbox import PythonSandbox

Proposes = Literal["program", "answer"]
Plays = Literal["both", "proposer", "planner"]
"""Who plays: the team, or one of its agents alone, whose messages then move the board."""
Wording = Literal["sentences", "letters"]
"""`letters`: agents read and write cells by their names, for a model with a vocabulary of its own
(`cells`)."""

SHAPING = 0.99
"""γ of the shaping by distance, γφ(s′) − φ(s) (§5.1)."""
PROPOSER, COMMITTER = 0, 1
FAILED_CHARS = 100
"""Of why an answer ended early."""
SLIPS = 0.2
"""The share of wrong moves in a weak demonstration of Sokoban."""


@dataclass(frozen=True, slots=True)
class Play:
    """An episode under way. `proposal`, and the program that printed it, are of this turn; `failed`
    says why the last committed answer ended early, and `blocked` at which cell, in letters.
    `reference`: the task's."""

    start: str
    board: str
    turn: int = 0
    moves: Moves = ()
    proposal: str = ""
    program: str = ""
    output: str = ""
    failed: str = ""
    blocked: str = ""
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Played:
    """What an answer does on a board. `read` is the answer as it was read; "": there is none.
    `failed` says why it ended early; "": it did not."""

    board: str
    reward: Reward
    read: str = ""
    moves: Moves = ()
    failed: str = ""
    blocked: str = ""


@dataclass(frozen=True)
class GameTeam(ABC):
    proposes: Proposes = "program"
    wording: Wording = "sentences"
    plays: Plays = "both"

    key: ClassVar[str]
    rules: ClassVar[str]
    """What the agents are told of the game."""
    form: ClassVar[str]
    """How an answer is written, as an order to an agent."""
    printed: ClassVar[str]
    """The same of a program's output."""
    lettered: ClassVar[str]
    """The rules and the form of an answer, where the board is in letters."""

    @abstractmethod
    def play(self, state: Play, answer: str, jump: str = "") -> Played:
        """What a message's answer does on the board. `jump`: a cell that it went on to, in letters,
        and that does not touch the one before it."""

    @abstractmethod
    def is_solved(self, board: str) -> bool:
        """Raises BoardError."""

    @abstractmethod
    def answer(self, state: Play) -> str: ...

    @abstractmethod
    def in_letters(self, board: str, answer: str) -> str:
        """An answer in words, in letters."""

    @abstractmethod
    def in_words(self, board: str, message: str) -> tuple[str, str]:
        """A message in letters, in words, and the cell that it jumps to; any other as it is."""

    @abstractmethod
    def weak_answer(self, state: Play, generator: random.Random) -> str:
        """An answer of the right form by a player who knows only half of the rules."""

    def solution(self, state: Play) -> str | None:
        """An answer that solves the board as it is now; None: none was found."""
        return GAMES[self.key].solution(state.board)

    @property
    def name(self) -> str:
        who = {"both": "two agents", "proposer": "the proposer alone", "planner": "one agent"}
        return f"{GAMES[self.key].name}, {who[self.plays]}"

    @property
    def description(self) -> str:
        first = "writes a program" if self.proposes == "program" else "proposes an answer"
        second = ", the other commits the team's" if self.plays == "both" else ""
        return f"{GAMES[self.key].description} One agent {first}{second}."

    @property
    def roles(self) -> tuple[RoleSpec, ...]:
        first = f"You propose an answer to a puzzle. {self.rules} {self.form}"
        second = (
            f"You decide what a team answers to a puzzle. {self.rules} Another agent has proposed "
            "an answer. Check it on the board. Keep it if it is right, and mend it if it is not. "
            f"{self.form}"
        )
        alone = f"You solve a puzzle. {self.rules} {self.form}"
        if self.wording == "letters":
            first = alone = f"A cell is two letters, and its mark follows. {self.lettered}"
            second = f"{alone} Another agent's proposal stands last: keep it or mend it."
        if self.proposes == "program":
            first = (
                f"You write a Python program that solves a puzzle. {self.rules} The board stands "
                f"in the program as text; it gets no input. {self.printed} Answer with one "
                "```python block."
            )
        proposer = _role(self.key, "Proposer", "Proposes an answer to the puzzle.", first)
        told = "Checks the proposal and commits an answer."
        return {
            "both": (proposer, _role(self.key, "Planner", told, second)),
            "proposer": (proposer,),
            "planner": (_role(self.key, "Planner", "Answers the puzzle.", alone),),
        }[self.plays]

    def part(self, agent: int) -> int:
        """PROPOSER or COMMITTER."""
        return COMMITTER if self.plays == "planner" else agent

    def begin(self, task: TaskSpec) -> Play:
        board = task.metadata.get(BOARD)
        if task.metadata.get(GAME) != self.key or not isinstance(board, str):
            raise EpisodeError(f"The task is no episode of {GAMES[self.key].name}.")
        try:
            self.is_solved(board)
        except BoardError as error:
            raise EpisodeError(f"The task's board can't be read: {error}.") from error
        rows = _rows(board)
        if self.wording == "letters" and max(len(rows), *map(len, rows)) > MOST:
            raise EpisodeError(f"In letters, a board has at most {MOST} rows and columns.")
        return Play(start=board, board=board, reference=task.reference or "")

    def require_rewards(self, task: TaskSpec) -> None:
        self.begin(task)  # a board has all that its rewards need

    def observation(self, state: Play, agent: int) -> str:
        if self.wording == "letters":
            board = named(_rows(state.board))
            if self.part(agent) == PROPOSER:
                return f"A{board}|{state.blocked}|"
            proposal = self.in_letters(state.board, state.proposal) if state.proposal else ""
            return f"B{board}|{state.blocked}|{proposal}|"
        parts = [f"The board is now:\n\n{state.board}"]
        if state.failed:
            parts.append(f"The last answer ended early. {state.failed}")
        if self.part(agent) == PROPOSER or self.plays != "both":
            return "\n\n".join(parts)
        if state.program:
            parts.append(f"The proposer's program:\n\n```python\n{state.program}\n```")
            parts.append(f"It printed:\n\n{state.output or '(nothing)'}")
        parts.append(f"The proposal:\n\n{state.proposal or '(none)'}")
        return "\n\n".join(parts)

    def heard(self, agent: int, *, order: Order, later: bool) -> Sequence[int]:
        failed = [2 if self.wording == "letters" else FAILED_CHARS] * later
        if self.part(agent) == PROPOSER or self.plays != "both" or order == "parallel":
            return failed
        if self.proposes == "answer":
            return [UNCUT, *failed]
        # The proposal is read from the output.
        return [UNCUT, LIMITS.output_chars, LIMITS.output_chars, *failed]

    async def act(self, state: Play, agent: int, message: str) -> Acted[Play]:
        program, answer = "", message
        if self.part(agent) == PROPOSER and self.proposes == "program":
            program, answer = await _printed(message)
        jump = ""
        if self.wording == "letters":
            answer, jump = self.in_words(state.board, answer)
        played = self.play(state, answer, jump)
        if agent == len(self.roles) - 1:
            after = replace(
                state,
                board=played.board,
                moves=(*state.moves, *played.moves),
                failed=played.failed,
                blocked=played.blocked,
            )
        else:
            output = answer if program else ""
            after = replace(state, proposal=played.read, program=program, output=output)
        return Acted(after, played.reward, played.read)

    def demonstration(
        self, state: Play, agent: int, generator: random.Random, *, weak: bool
    ) -> str | None:
        if weak:
            answer: str | None = self.weak_answer(state, generator)
        else:
            answer = self.solution(state)
        if answer is None:
            return None
        if self.part(agent) == PROPOSER and self.proposes == "program":
            _, _, printed = answer.partition(":")
            return f'```python\nprint("""{printed.strip()}""")\n```'
        return self.in_letters(state.board, answer) if self.wording == "letters" else answer

    @property
    def undemonstrated(self) -> str:
        return (
            "Choose boards that “Make episodes” draws, which come with a solution, or smaller "
            "ones; or set cold_weak to 1."
        )

    def turned(self, state: Play) -> Play:
        return replace(state, turn=state.turn + 1, proposal="", program="", output="")

    def ended(self, state: Play) -> str | None:
        return "solved" if self.solved(state) else None

    def solved(self, state: Play) -> bool:
        return self.is_solved(state.board)

    def picture(self, state: Play) -> dict[str, Any]:
        return {
            "game": self.key,
            "start": state.start,
            "board": state.board,
            "moves": list(state.moves),
            "proposal": state.proposal,
        }


class _MovesTeam(GameTeam):
    form = "End with a line that lists the moves, like this one: Answer: right, down, down"
    printed = "It prints the moves, like this: right, down, down"

    def answer(self, state: Play) -> str:
        return f"Answer: {written(state.moves)}" if state.moves else ""

    @abstractmethod
    def at(self, board: str) -> Cell:
        """The cell of the one who moves."""

    def in_letters(self, board: str, answer: str) -> str:
        return way_of(self.at(board), read_moves(answer) or ())

    def in_words(self, board: str, message: str) -> tuple[str, str]:
        along = moves_along(self.at(board), message)
        if along is None:
            return message, ""
        moves, jump = along
        return f"Answer: {written(moves)}", jump


class PlanPathTeam(_MovesTeam):
    key = "plan_path"
    rules = (
        "Find the way from S, where the walker stands, to G. # is a wall, and . is a free cell. A "
        "move goes one cell up, down, left or right. A move into a wall or off the grid ends the "
        "walk."
    )
    lettered = "# is a wall. Name the cells on the way from S to G, in order."

    def play(self, state: Play, answer: str, jump: str = "") -> Played:
        """Steps −0.01 each, blocked −0.1, progress by the Manhattan distance to the goal; goal 1,
        and 0.5 more if no way from the start is shorter."""
        maze = Maze.read(state.board)
        moves = read_moves(answer)
        if not moves:
            return _unread(state, {"blocked": -0.1}, jump)
        after, made = walked(maze, moves)
        is_blocked = not after.is_solved and (made < len(moves) or bool(jump))
        local = {"steps": -0.01 * made, "progress": _progress(maze, after) if made else 0.0}
        team = {}
        if is_blocked:
            local["blocked"] = -0.1
        if after.is_solved:
            least = Maze.read(state.start).shortest() or ()
            is_shortest = len(state.moves) + made == len(least)
            team = {"goal": 1.0} | ({"shortest": 0.5} if is_shortest else {})
        at = after.at if is_blocked else None
        return _walked(after.text(), Reward(team, local), moves, made, stopped=at, jump=jump)

    def at(self, board: str) -> Cell:
        return Maze.read(board).at

    def is_solved(self, board: str) -> bool:
        return Maze.read(board).is_solved

    def weak_answer(self, state: Play, generator: random.Random) -> str:
        """A way to the goal that takes no notice of walls."""
        maze = Maze.read(state.board)
        down, right = maze.goal[0] - maze.at[0], maze.goal[1] - maze.at[1]
        moves = ["down" if down > 0 else "up"] * abs(down)
        moves += ["right" if right > 0 else "left"] * abs(right)
        generator.shuffle(moves)
        return f"Answer: {written(moves)}"


class SokobanTeam(_MovesTeam):
    key = "sokoban"
    rules = (
        "Push every box onto a target. # is a wall, _ is floor, @ is the player, $ is a box, and . "
        "is a target; * is a box on a target, and + is the player on one. A move goes one cell up, "
        "down, left or right, and pushes a box that is there if the cell behind it is free. Boxes "
        "can't be pulled. A blocked move ends the list."
    )
    lettered = (
        "# is a wall, @ is the player, $ is a box, . is a target, * is a box on one, + is the "
        "player on one. Name the cells that the player enters to push every box onto a target."
    )

    def play(self, state: Play, answer: str, jump: str = "") -> Played:
        """Steps −0.01 each, blocked −0.05, a box onto a target 1, off a target −0.5; solved 10."""
        room = Room.read(state.board)
        moves = read_moves(answer)
        if not moves:
            return _unread(state, {"blocked": -0.05}, jump)
        on = off = made = 0
        for move in moves:
            after = room.moved(move)
            if after is None or room.is_solved:
                break
            on += max(0, after.on_target - room.on_target)
            off += max(0, room.on_target - after.on_target)
            room, made = after, made + 1
        is_blocked = not room.is_solved and (made < len(moves) or bool(jump))
        local = {"steps": -0.01 * made, "boxes on": 1.0 * on, "boxes off": -0.5 * off}
        if is_blocked:
            local["blocked"] = -0.05
        team = {"solved": 10.0} if room.is_solved else {}
        at = room.player if is_blocked else None
        return _walked(room.text(), Reward(team, local), moves, made, stopped=at, jump=jump)

    def at(self, board: str) -> Cell:
        return Room.read(board).player

    def is_solved(self, board: str) -> bool:
        return Room.read(board).is_solved

    def solution(self, state: Play) -> str | None:
        """The reference, which is there even if the board is too large to search; later in the
        episode a shortest solution, or a way back to the reference."""
        start, known = Room.read(state.start), read_moves(state.reference) or ()
        if state.board == state.start and pushed(start, known)[0].is_solved:
            return f"Answer: {written(known)}"
        moves = solve(Room.read(state.board), start, known)
        return None if moves is None else f"Answer: {written(moves)}"

    def weak_answer(self, state: Play, generator: random.Random) -> str:
        """The solution, in which some moves are replaced by any. Without a solution: one box's, as
        if there were no others."""
        room = Room.read(state.board)
        moves = read_moves(self.solution(state) or "") or alone(room) or tuple(STEPS)
        slipped = [
            generator.choice(tuple(STEPS)) if generator.random() < SLIPS else move for move in moves
        ]
        return f"Answer: {written(slipped)}"


class SudokuTeam(GameTeam):
    key = "sudoku"
    rules = (
        "Fill the empty cells (_) so that each row, each column and each of the four 2×2 boxes has "
        "the numbers 1, 2, 3 and 4 once."
    )
    form = "End with a line that says “Answer:” and, below it, the four rows of the grid."
    printed = "It prints the four rows of the grid, with a space between two numbers."
    lettered = (
        "Name each cell with its number: each row, column and 2×2 box has 1, 2, 3 and 4 once."
    )

    def begin(self, task: TaskSpec) -> Play:
        state = super().begin(task)
        if the_solution(Grid.read(state.board)) is None:
            raise EpisodeError("The task's grid does not have exactly one solution.")
        return state

    def play(self, state: Play, answer: str, jump: str = "") -> Played:
        """Progress: the share of the empty cells that are right now and were not before. Invalid
        −0.5: no grid, a number that was given is changed, or one stands twice in a row, column or
        box; then nothing is filled. Solved 0.5."""
        given, now, filled = Grid.read(state.start), Grid.read(state.board), read_grid(answer)
        if filled is None:
            return _unread(state, {"invalid": -0.5})
        read = filled.text()
        if not filled.keeps(given) or not filled.is_valid:
            why = "repeats a number" if filled.keeps(given) else "changes a number that was given"
            reward = Reward(local={"invalid": -0.5})
            return Played(state.board, reward, read, failed=f"The grid {why}.")
        solved = the_solution(given)
        if solved is None:
            raise BoardError("the board does not have exactly one solution")
        empty = [at for at, cell in enumerate(given.cells) if cell == EMPTY]
        right, before = (
            sum(grid.cells[at] == solved.cells[at] for at in empty) for grid in (filled, now)
        )
        team = {"solved": 0.5} if filled == solved else {}
        reward = Reward(team, {"progress": (right - before) / max(1, len(empty))})
        return Played(filled.text(), reward, read)

    def is_solved(self, board: str) -> bool:
        grid = Grid.read(board)
        return grid.is_full and grid.is_valid

    def answer(self, state: Play) -> str:
        return f"Answer:\n{state.board}" if state.board != state.start else ""

    def weak_answer(self, state: Play, generator: random.Random) -> str:
        """Rows without a number twice; columns and boxes are not looked at."""
        rows = []
        for row in Grid.read(state.board).rows():
            missing = [number for number in range(1, SIZE + 1) if number not in row]
            generator.shuffle(missing)
            rows.append([missing.pop() if cell == EMPTY else cell for cell in row])
        return "Answer:\n" + "\n".join(" ".join(map(str, row)) for row in rows)

    def in_letters(self, board: str, answer: str) -> str:
        grid = read_grid(answer)
        return named(_rows(grid.text())) if grid else ""

    def in_words(self, board: str, message: str) -> tuple[str, str]:
        return re.sub(NAME, "", message), ""


def _rows(board: str) -> list[str]:
    return board.replace(" ", "").split("\n")


def _role(game: str, name: str, description: str, prompt: str) -> RoleSpec:
    key = f"{game}-{name}".lower().replace("_", "-")
    return RoleSpec(key=key, name=name, family="games", description=description, prompt=prompt)


def _unread(state: Play, local: dict[str, float], jump: str = "") -> Played:
    failed = "The message had no answer."
    return Played(state.board, Reward(local=local), failed=failed, blocked=jump)


def _walked(
    board: str, reward: Reward, moves: Moves, made: int, *, stopped: Cell | None, jump: str
) -> Played:
    """`stopped`: where a move was blocked; None: none was."""
    played = Played(board, reward, written(moves), moves[:made])
    if stopped is None:
        return played
    if made == len(moves):
        return replace(played, failed="The next cell did not touch the last one.", blocked=jump)
    failed = f"Move {made + 1} ({moves[made]}) was blocked."
    return replace(played, failed=failed, blocked=way_of(stopped, moves[made : made + 1]))


def _progress(before: Maze, after: Maze) -> float:
    """γφ(s′) − φ(s), with φ the negative distance to the goal."""
    return _distance(before.at, before.goal) - SHAPING * _distance(after.at, after.goal)


def _distance(cell: Cell, goal: Cell) -> int:
    """Manhattan distance."""
    return abs(cell[0] - goal[0]) + abs(cell[1] - goal[1])


async def _printed(message: str) -> tuple[str, str]:
    """The message's program and what it prints; both "" if it has none."""
    program = extract_program(message)
    if program is None:
        return "", ""
    await require_sandbox()
    result = await PythonSandbox().run({"code": program}, LIMITS)
    return program, result.output if result.ok else ""


TEAMS: dict[str, type[GameTeam]] = {
    team.key: team for team in (PlanPathTeam, SudokuTeam, SokobanTeam)
}

"""Games: does the answer solve the board?

`metadata.game` and `metadata.board` say which; the answer's moves are played on it. Any solution
counts, not only the reference.
"""

from dataclasses import dataclass

from workers.core.benchmarks.base import Verdict, VerifierError
from workers.core.benchmarks.games.base import BoardError
from workers.core.benchmarks.games.episodes import BOARD, GAME, GAMES, VERIFIER
from workers.core.specs import TaskSpec

WHOLE = "Answer:"


@dataclass(frozen=True, slots=True)
class GamePlayed:
    key: str = VERIFIER
    name: str = "Game"
    description: str = "Plays the answer's moves on the task's board."

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        """The whole message is read: an answer of several lines is one line there. But an answer
        that begins with “Answer:” is a team's that moved the board turn by turn. Its last message
        has only the moves of the last turn."""
        game = GAMES.get(str(task.metadata.get(GAME)))
        if game is None:
            raise VerifierError(
                code="no_game",
                message="The task does not say which game it is of.",
                remedy="Make its dataset with “Make episodes”, or remove its verifier.",
            )
        answer = answer or ""
        said = answer if answer.startswith(WHOLE) else message or answer
        try:
            judged = game.judge(str(task.metadata.get(BOARD)), said)
        except BoardError as error:
            raise VerifierError(
                code="no_board",
                message=f"The task's board can't be read: {error}.",
                remedy="Make its dataset again with “Make episodes”, or remove its verifier.",
            ) from error
        return Verdict(judged.solved, float(judged.solved), judged.explanation)

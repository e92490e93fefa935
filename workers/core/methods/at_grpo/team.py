"""Which environment a task is played in, and how its agents are called."""

from collections.abc import Sequence
from typing import Any, get_args

from workers.core.benchmarks.games.base import BoardError
from workers.core.benchmarks.games.episodes import GAME, board_in, task_of
from workers.core.environments import code, games, math
from workers.core.environments.base import Environment, EpisodeError, about
from workers.core.environments.code import CodeTeam
from workers.core.environments.games import TEAMS
from workers.core.environments.math import NUMERIC, MathTeam
from workers.core.errors import MethodError
from workers.core.methods.at_grpo.config import PlayConfig
from workers.core.methods.at_grpo.graphs import name_of
from workers.core.specs import TaskSpec
from workers.core.weights.nano import NAME as NANO


def as_episode(task: TaskSpec) -> TaskSpec:
    """The task as a dataset of episodes would have it, if its question is one of a game: what
    people type says no more."""
    asked = None if GAME in task.metadata else board_in(task.query)
    if asked is None:
        return task
    try:
        return task_of(*asked)
    except BoardError as error:
        raise MethodError(
            code="no_episode",
            message=f"The board can't be read: {error}.",
            remedy="Correct the board. A sample of the game shows what one looks like.",
        ) from error


def environment_of(task: TaskSpec, config: PlayConfig) -> Environment[Any]:
    """Of an episode, its game; of tasks with tests or a program as their answer, code; of those
    with a value as their answer, and of bare questions, mathematics. Raises MethodError for a task
    that no environment knows, and for settings of another environment."""
    game = task.metadata.get(GAME)
    if game is None and task.answer_form == "code":
        return CodeTeam(_in_words(config, code.Plays, "code"))
    if game is None and task.verifier in (None, *NUMERIC):
        return MathTeam(_in_words(config, math.Plays, "mathematics"))
    team = TEAMS.get(str(game))
    if team is None:
        raise MethodError(
            code="no_environment",
            message=(
                f"{about(task)} is no episode of a game, and its answer is neither a value nor a "
                "program."
            ),
            remedy="Choose a dataset of episodes, of numeric answers, or of programs with tests.",
        )
    plays = _plays(config, games.Plays, "a game")
    return team(proposes=config.proposes, wording=config.wording, plays=plays)


def one_environment(tasks: Sequence[TaskSpec], config: PlayConfig) -> Environment[Any]:
    """That of all tasks. Raises MethodError."""
    environment = environment_of(tasks[0], config)
    for task in tasks:
        if (other := environment_of(task, config)).key != environment.key:
            raise MethodError(
                code="several_environments",
                message=(
                    f"Some tasks are for “{environment.name}” and some for “{other.name}”, which "
                    "have different agents."
                ),
                remedy="Choose a dataset with one kind of tasks.",
            )
    return environment


def require_trainable(
    environment: Environment[Any], tasks: Sequence[TaskSpec], *, model: str
) -> None:
    """Raises MethodError for tasks that can't be rewarded, and for a model that can't read them."""
    require_reader(environment, model)
    require_rewarded(environment, tasks)


def require_rewarded(environment: Environment[Any], tasks: Sequence[TaskSpec]) -> None:
    """Raises MethodError for tasks that can't be rewarded."""
    for task in tasks:
        try:
            environment.require_rewards(task)
        except EpisodeError as error:
            raise MethodError(
                code="not_rewarded",
                message=str(error),
                remedy="Leave the task out of the dataset, or give it what rewards need.",
            ) from error


def require_reader(environment: Environment[Any], model: str) -> None:
    """Raises MethodError if the model reads only the letters of games."""
    if model == NANO and environment.key not in TEAMS:
        raise MethodError(
            code="model_reads_no_words",
            message=f"The model “{NANO}” reads the letters of games, and no words.",
            remedy="Choose a language model, such as Qwen/Qwen2.5-Coder-0.5B-Instruct.",
        )


def names_of(environment: Environment[Any]) -> tuple[str, ...]:
    """The agents' names in metrics and policies, in order."""
    return tuple(map(name_of, environment.roles))


def _in_words(config: PlayConfig, agents: Any, what: str) -> Any:
    """As `_plays`, of an environment without letters."""
    if config.wording == "letters":
        raise MethodError(
            code="letters_without_game",
            message="The wording “letters” is for games. The task is written in words.",
            remedy="Set “wording” to “sentences”, or choose an episode of a game.",
        )
    return _plays(config, agents, what)


def _plays(config: PlayConfig, agents: Any, what: str) -> Any:
    """`agents`: a type, the literals of which are the environment's. Raises MethodError."""
    known = get_args(agents)
    if config.plays not in known:
        raise MethodError(
            code="no_such_agent",
            message=f"“plays” is “{config.plays}”, which is no agent of {what}.",
            remedy=f"Set “plays” to {', '.join(known)}.",
        )
    return config.plays

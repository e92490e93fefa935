"""Which environment a task is played in, and how its agents are called."""

from collections.abc import Sequence
from typing import Any

from workers.core.benchmarks.games.base import BoardError
from workers.core.benchmarks.games.episodes import GAME, board_in, task_of
from workers.core.environments.base import Environment
from workers.core.environments.games import TEAMS
from workers.core.errors import MethodError
from workers.core.methods.at_grpo.config import PlayConfig
from workers.core.specs import TaskSpec


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
    """Raises MethodError for a task that no environment knows."""
    team = TEAMS.get(str(task.metadata.get(GAME)))
    if team is None:
        raise MethodError(
            code="no_environment",
            message=f"The task “{task.query[:60]}” is no episode of a game.",
            remedy="Choose a dataset of episodes. “Make episodes” on “Datasets” makes one.",
        )
    return team(proposes=config.proposes, wording=config.wording, plays=config.plays)


def one_environment(tasks: Sequence[TaskSpec], config: PlayConfig) -> Environment[Any]:
    """That of all tasks. Raises MethodError."""
    environment = environment_of(tasks[0], config)
    for task in tasks:
        if environment_of(task, config).key != environment.key:
            raise MethodError(
                code="several_environments",
                message="The tasks are episodes of different games, which have different agents.",
                remedy="Choose a dataset with one game.",
            )
    return environment


def names_of(environment: Environment[Any]) -> tuple[str, ...]:
    """The agents' names in metrics and policies, in order."""
    return tuple(role.name.lower() for role in environment.roles)

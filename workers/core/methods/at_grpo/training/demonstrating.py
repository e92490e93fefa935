"""The cold start: messages that show what an answer looks like, before anything is sampled."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workers.core.environments.base import Environment, Order
from workers.core.errors import MethodError
from workers.core.methods.at_grpo.training.replaying import Replays, Shown
from workers.core.methods.at_grpo.trees import messages_for
from workers.core.rollouts.base import PolicyEngine
from workers.core.specs import TaskSpec
from workers.core.training.demonstrations import Demonstrations


@dataclass(frozen=True, slots=True)
class Demonstrator:
    """`weak`: the share of tasks whose messages know only half of the rules. `astray`: the share of
    tasks that are shown from where a weak player's turn has ended. `replays`: right runs, which
    then stand in for the environment's solutions. No message of more than `max_tokens` is shown:
    when sampled, it would be cut."""

    environment: Environment[Any]
    order: Order
    max_tokens: int
    weak: float
    astray: float
    replays: Replays | None = None

    def demonstrated(self, tasks: Sequence[TaskSpec], places: Sequence[int]) -> list[int]:
        """Of the places in `tasks`, those of tasks to show. Raises MethodError if there is none."""
        if self.replays is None:
            return list(places)
        found = [place for place in places if self.replays.has(tasks[place])]
        if not found:
            raise MethodError(
                code="no_right_runs",
                message=(
                    "No run that can be shown was right on a task that this training learns from."
                ),
                remedy=(
                    "Evaluate AT-GRPO on this split first, with any endpoint, or set “cold_from” "
                    "to “solutions”. Of another method, only one agent's only reply can be shown, "
                    "and only in the wording “sentences”: several agents answer each other."
                ),
            )
        return found

    async def demonstrations(
        self,
        tasks: Sequence[TaskSpec],
        *,
        engine: PolicyEngine,
        policies: Sequence[str],
        generator: random.Random,
    ) -> Demonstrations[str]:
        """Messages for each task, by policy: one turn of a weak player or a solver, or a whole run.
        Where there is no solution, or no player for an agent, there is no message. Raises
        MethodError if there is none at all."""
        found = Demonstrations[str]({policy: [] for policy in policies})
        for task in tasks:
            for shown in await self._shown(task, len(policies), generator):
                policy = policies[shown.agent]
                most = self.max_tokens
                found.add(policy, engine, policy, shown.messages, shown.said, most=most)
        if not any(found.found.values()):
            raise self._too_long() if found.too_long else self._nothing()
        return found

    async def _shown(
        self, task: TaskSpec, agents: int, generator: random.Random
    ) -> Sequence[Shown]:
        environment, state = self.environment, self.environment.begin(task)
        if generator.random() < self.astray:
            state = await self._led_astray(state, agents, generator)
        is_weak = generator.random() < self.weak
        if self.replays and not is_weak:
            runs = await self.replays.of(task)
            return generator.choice(runs) if runs else ()
        seen, found = state, []
        for agent in range(agents):
            said = environment.demonstration(state, agent, generator, weak=is_weak)
            if said is None:
                continue
            observed = state if self.order == "sequential" else seen
            found.append(Shown(agent, messages_for(environment, observed, agent), said))
            state = (await environment.act(state, agent, said)).state
        return found

    async def _led_astray(self, state: Any, agents: int, generator: random.Random) -> Any:
        """The state after a weak player's turn. It stays as it is if that ends the episode, or if
        there is no such player."""
        environment, after = self.environment, state
        for agent in range(agents):
            said = environment.demonstration(after, agent, generator, weak=True)
            if said is None:
                return state
            after = (await environment.act(after, agent, said)).state
        return state if environment.ended(after) else environment.turned(after)

    def _too_long(self) -> MethodError:
        return MethodError(
            code="demonstrations_too_long",
            message=f"All of the step's demonstrations have more than {self.max_tokens} tokens.",
            remedy="Raise max_tokens.",
        )

    def _nothing(self) -> MethodError:
        if self.replays:
            return MethodError(
                code="no_demonstrations",
                message=(
                    "No run that was right on the step's tasks solves them with this training's "
                    "agents and wording."
                ),
                remedy=(
                    "Set “plays”, “proposes”, “wording” and “order” as in those runs, or make new "
                    "ones with an evaluation of the training's split."
                ),
            )
        return MethodError(
            code="no_demonstrations",
            message="Nothing demonstrates a solution of any of the step's tasks.",
            remedy=self.environment.undemonstrated,
        )

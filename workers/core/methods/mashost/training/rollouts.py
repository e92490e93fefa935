"""What a training samples: the systems of a step, and those of the tasks that are held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from torch import Tensor

from workers.core.concurrency import Turns, all_or_first_error
from workers.core.errors import MethodError
from workers.core.methods.mashost.construct import Constructor
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.deciding import (
    DecisionBatcher,
    Exploring,
    OwnRecorder,
    RecordingDecider,
    Sampler,
)
from workers.core.methods.mashost.training.held_out import at_inference, held_out_metrics
from workers.core.methods.mashost.training.systems import Endpoint, Sampled, sample_system
from workers.core.methods.mashost.training.trajectory import repeats
from workers.core.specs import TaskSpec
from workers.core.training.judging import Judge
from workers.core.training.tasks import split_tasks, task_indices

FAILING_SHARE = 0.2
"""Share of a step's agents that may fail because of the endpoint; above it, training stops. Below
it, the systems in which one failed count nothing."""

AT_ONCE = 2
"""Systems under way for each request that the endpoint takes: while some of them are asked, the
others decide, are judged or wait for their turn there."""

HELD_OUT_PLACE = 0
"""Before any step: while the tasks held out are tried, nothing is learned."""

ANSWERS = 1
"""Beside a system's own seeds: its agents' answers are another draw than its construction."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sample:
    """What one step learns from: B groups of L systems. `redrawn` counts the systems that repeated
    another of their group, and were drawn again."""

    task_indices: tuple[int, ...]
    groups: tuple[tuple[Sampled, ...], ...]
    redrawn: int = 0

    @property
    def systems(self) -> list[Sampled]:
        return [system for group in self.groups for system in group]

    def spread(self, count: int) -> list[tuple[int, int]]:
        """Place and member of `count` systems, of as many queries as there are."""
        places = len(self.groups)
        members = range(len(self.groups[0]))
        return [(place, member) for member in members for place in range(places)][:count]


class Rollouts:
    """Over the tasks of one training. `training` and `held_out`: indices of those that `sample`
    draws from, and of those that it leaves out."""

    def __init__(
        self,
        tasks: Sequence[TaskSpec],
        queries: Sequence[Tensor],
        *,
        endpoint: Endpoint,
        config: MasHostTrainingConfig,
        seed: int,
        seen: Collection[int] = (),
    ) -> None:
        """`queries` (D,) are the tasks', embedded; `seen` are indices of tasks that the weights
        have learned from before. Raises MethodError when too few tasks are left."""
        self.tasks = tasks
        self.endpoint = endpoint
        self._queries = queries
        self._config = config
        self._seed = seed
        self.training, self.held_out = split_tasks(
            len(tasks), config.held_out, seed=seed, seen=seen
        )
        self._judge = Judge()
        self._turns = Turns(AT_ONCE * endpoint.spec.max_concurrency)
        self._finished: Counter[int] = Counter()

    async def sample(self, step: int, sampler: Sampler, *, told: Callable[[], None]) -> Sample:
        """B groups of L systems; `told` hears of each that is finished, see `share_of`.

        An earlier step goes before a later one, and in a step a query before those after it. So a
        step is over as soon as it can be, and while its last groups thin out, those that are drawn
        for others' sake, the next step fills the endpoint and has most of its systems left for
        the time in which this one is learned from.
        """
        config = self._config
        constructor = Constructor(sampler.policy, sampler.pool, sampler.config)
        batcher = DecisionBatcher(sampler)
        order = task_indices(
            len(self.training), step, per_step=config.queries_per_step, seed=self._seed
        )
        indices = tuple(self.training[index] for index in order)

        def seeds(place: int, member: int, redraw: int) -> tuple[int, ...]:
            return self._seed, step, place, member, redraw

        async def system(
            place: int,
            index: int,
            member: int,
            seeds: tuple[int, ...],
            exploring: Exploring | None = None,
        ) -> Sampled:
            async with self._turns.turn(step, place):
                return await sample_system(
                    self.tasks[index],
                    query=self._queries[index],
                    endpoint=self.endpoint,
                    constructor=constructor,
                    decider=RecordingDecider(batcher, np.random.default_rng(seeds), exploring),
                    judge=self._judge,
                    seed=answers_seed(seeds),
                    keep=member * len(indices) + place < config.samples_per_step,  # Sample.spread
                )

        def finished() -> None:
            self._finished[step] += 1
            told()

        async def first(place: int, index: int, member: int) -> Sampled:
            sampled = await system(place, index, member, seeds(place, member, 0))
            finished()
            return sampled

        async def explorer(
            place: int, index: int, member: int, others: Sequence[Sampled]
        ) -> Sampled:
            random = np.random.default_rng(seeds(place, member, 0))
            followed = int(random.integers(len(others)))
            at = int(random.integers(len(others[followed].trajectory.actions)))
            same = seeds(place, followed, 0)
            sampled = await system(place, index, member, same, Exploring(at, random))
            finished()
            return sampled.exploring_at(at)

        redrawn = 0
        drawn_first = config.systems_per_query - config.explorers

        async def group(place: int, index: int) -> tuple[Sampled, ...]:
            """In rounds, so that the same seed gives the same group, whoever is answered first."""
            nonlocal redrawn
            members = await all_or_first_error(
                first(place, index, member) for member in range(drawn_first)
            )
            members += await all_or_first_error(
                explorer(place, index, member, members[:drawn_first])
                for member in range(drawn_first, config.systems_per_query)
            )
            for redraw in range(1, config.redraws + 1):
                again = repeats([member.built for member in members])
                redrawn += len(again)
                drawn = await all_or_first_error(
                    system(place, index, member, seeds(place, member, redraw)) for member in again
                )
                for (member, twin), sampled in zip(again.items(), drawn, strict=True):
                    members[twin] = members[twin].counted_with(members[member])
                    members[member] = sampled
            return tuple(members)

        groups = await all_or_first_error(
            group(place, index) for place, index in enumerate(indices)
        )
        return Sample(indices, tuple(groups), redrawn)

    def share_of(self, step: int) -> float:
        """How much of the step's sample is finished, 0..1."""
        config = self._config
        return self._finished[step] / (config.queries_per_step * config.systems_per_query)

    async def try_held_out(self, sampler: Sampler) -> dict[str, float]:
        """Every task held out, answered as people are. Raises MethodError."""
        constructor = at_inference(sampler.policy, sampler.pool, sampler.config)

        async def system(index: int) -> Sampled:
            async with self._turns.turn(HELD_OUT_PLACE):
                return await sample_system(
                    self.tasks[index],
                    query=self._queries[index],
                    endpoint=self.endpoint,
                    constructor=constructor,
                    decider=OwnRecorder(constructor, seed=0),
                    judge=self._judge,
                    seed=0,
                    keep=False,
                )

        systems = await all_or_first_error(system(index) for index in self.held_out)
        self.require_endpoint(systems)
        return held_out_metrics(systems, beta=self._config.beta)

    def require_endpoint(self, systems: Sequence[Sampled]) -> None:
        """Learning from a dead endpoint would teach that nobody can answer, and from a slow one
        that small systems are right. Raises MethodError."""
        late = sum(system.late for system in systems)
        if late:
            raise MethodError(
                code="out_of_time",
                message=(
                    f"{late} of {len(systems)} systems of this step ran out of their "
                    f"{self.endpoint.budget.max_seconds:g} seconds, the waiting for the endpoint "
                    f"“{self.endpoint.spec.key}” included; rewards would depend on its speed."
                ),
                remedy=(
                    "Resume the job when the endpoint is faster: answers are kept. Or train again "
                    "with more seconds for a system, or fewer systems a step."
                ),
            )
        failures = [failure for system in systems for failure in system.failures]
        agents = sum(system.agents for system in systems)
        drawn = [system for system in systems if system.trajectory.explored is None]
        nothing_counts = all(system.failures for system in drawn)
        if failures and (nothing_counts or len(failures) > FAILING_SHARE * max(agents, 1)):
            raise MethodError(
                code="endpoint_failing",
                message=(
                    f"{len(failures)} of {agents} agents of this step failed at the endpoint "
                    f"“{self.endpoint.spec.key}”: {failures[0].message}"
                ),
                remedy="Mend the endpoint and resume the job; no finished step is lost.",
            )


def answers_seed(seeds: Sequence[int]) -> int:
    """What a system's agents answer with, in [0, 2³¹): one that is drawn anew asks anew, and one
    that explores gets what the system gets that it follows."""
    state: int = np.random.SeedSequence((*seeds, ANSWERS)).generate_state(1)[0]
    return int(state) >> 1

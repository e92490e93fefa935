"""Samples the systems of a training step, and those of the held-out tasks."""

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
"""Share of a step's agents that may fail because of the endpoint. Above it, training stops. Below
it, systems with such a failure do not count."""

AT_ONCE = 2
"""Systems in progress for each request that the endpoint takes: while some are asked, others
decide, are judged or wait for their turn."""

HELD_OUT_PLACE = 0
"""Held-out tasks go before any step: while they run, nothing is learned."""

ANSWERS = 1
"""Added to a system's seeds, so its agents' answers are drawn independently of its construction."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sample:
    """The sample of one step: B groups of L systems. `redrawn` counts the systems that repeated
    another one of their group and were drawn again."""

    task_indices: tuple[int, ...]
    groups: tuple[tuple[Sampled, ...], ...]
    redrawn: int = 0

    @property
    def systems(self) -> list[Sampled]:
        return [system for group in self.groups for system in group]

    def spread(self, count: int) -> list[tuple[int, int]]:
        """Place and member of `count` systems, from as many queries as possible."""
        places = len(self.groups)
        members = range(len(self.groups[0]))
        return [(place, member) for member in members for place in range(places)][:count]


class Rollouts:
    """Samples over the tasks of one training. `training` and `held_out`: indices of the tasks that
    `sample` draws from, and of those that it leaves out."""

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
        """`queries` (D,) are the tasks' embeddings. `seen` are indices of tasks that the weights
        have learned from before. Raises MethodError if too few tasks are left."""
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
        """B groups of L systems. `told` gets each finished one, see `share_of`.

        An earlier step goes before a later one, and in a step an earlier query before later ones.
        So a step ends as soon as possible. While its last groups finish, the next step fills the
        endpoint, and most of its systems are left for the time in which this step is learned from.
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
            """Draw in rounds, so the same seed gives the same group, in any order of answers."""
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
        """The finished share of the step's sample, 0..1."""
        config = self._config
        return self._finished[step] / (config.queries_per_step * config.systems_per_query)

    async def try_held_out(self, sampler: Sampler) -> dict[str, float]:
        """Answer every held-out task as in runs. Raises MethodError."""
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
        """Raise MethodError if the endpoint fails or is too slow. A dead endpoint would teach that
        no agent can answer, a slow one that small systems are right."""
        late = sum(system.late for system in systems)
        if late:
            raise MethodError(
                code="out_of_time",
                message=(
                    f"{late} of {len(systems)} systems of this step reached their limit of "
                    f"{self.endpoint.budget.max_seconds:g} seconds, including the wait for the "
                    f"endpoint “{self.endpoint.spec.key}”. Rewards would depend on its speed."
                ),
                remedy=(
                    "Resume the training when the endpoint is faster; answers are kept. Or "
                    "start a new training with more seconds per system, or fewer systems per "
                    "step."
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
                remedy="Repair the endpoint and resume the training. No finished step is lost.",
            )


def answers_seed(seeds: Sequence[int]) -> int:
    """The seed of a system's agents, in [0, 2³¹). A system that is drawn again asks again. One that
    explores has the seed of the system it follows."""
    state: int = np.random.SeedSequence((*seeds, ANSWERS)).generate_state(1)[0]
    return int(state) >> 1

"""The training's steps; see the package."""

import time
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import numpy as np

from workers.core.agents.database import AgentDatabase, AgentKey, Statistics
from workers.core.agents.kept import profiles_in, save_profiles
from workers.core.checkpoints import CheckpointInfo
from workers.core.concurrency import all_or_first_error, to_its_end
from workers.core.errors import MethodError
from workers.core.events import (
    AgentsRewarded,
    CheckpointSaved,
    Event,
    TrainingMetric,
    TrainingSample,
)
from workers.core.llm.cache import CachingClient
from workers.core.llm.meter import Meter
from workers.core.llm.types import ChatClient
from workers.core.methods.reso.config import METHOD_KEY
from workers.core.methods.reso.given import database_of, embedder_of, endpoint_named
from workers.core.methods.reso.model_reward import ModelReward
from workers.core.methods.reso.rewards import JudgeReward, RewardModel, RuleReward
from workers.core.methods.reso.training.config import ReSoTrainingConfig
from workers.core.methods.reso.training.metrics import held_out_metrics, step_metrics
from workers.core.methods.reso.training.queries import Queries, Query, rewards_of
from workers.core.methods.reso.training.state import load_state, save_state
from workers.core.plain_text import clean
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.resumable import (
    Progress,
    ResumableTraining,
    checkpoint_saved,
    code_version,
    require_same,
)
from workers.core.training.tasks import (
    indices_of,
    known_hashes,
    learned_from,
    require_tasks,
    split_tasks,
    task_digest,
    task_indices,
)

FAILING_SHARE = 0.5
"""Share of a step's agents that may fail because of endpoints. Above it nothing is learned and the
training stops. Below it, failed agents earn and lose nothing."""
BARREN_QUERIES = 16
"""After this many queries in a row without any reward, a training stops and says why."""


async def train(
    tasks: Sequence[TaskSpec], context: TrainingContext, config: ReSoTrainingConfig
) -> AsyncGenerator[Event]:
    """See `workers.core.methods.base.LearningMethod`."""
    require_tasks(tasks)
    training = _Training(tasks, context, config)
    async for event in training.events(config.steps):
        yield event


class _Training(ResumableTraining[Progress]):
    def __init__(
        self, tasks: Sequence[TaskSpec], context: TrainingContext, config: ReSoTrainingConfig
    ) -> None:
        super().__init__(context)
        self._tasks = tasks
        self._config = config
        self._meter = Meter(full=context.endpoint.max_concurrency)
        client = CachingClient(self._meter.watching_requests(context.llm), context.cache)
        self._client = self._meter.watching_answers(client)
        embedder_of(context.embedder)  # before anything is paid for
        self._queries = Queries(context, config, client=self._client)
        self._reward = reward_model(config, context, self._client)
        self._training, self._held_out = split_tasks(
            len(tasks),
            config.held_out,
            seed=context.seed,
            seen=indices_of(tasks, learned_from(context.start_from)),
        )
        self._digest = task_digest(tasks)
        self.progress, self._known = self._restored()
        self._database: AgentDatabase | None = None
        self._barren = 0
        """Latest queries in a row without any reward. A resumed training counts from 0."""

    # -- one step

    async def step(self) -> list[Event]:
        began = time.monotonic()
        if self._database is None:
            self._database = await self._begun()
        database = self._database
        step = self.progress.step + 1
        queries = await self._asked(step, database)
        self._require_endpoints(queries)
        self._require_learning(queries)
        own = self._context.endpoint
        rewards = rewards_of(queries, database, {**self._context.endpoints, own.key: own})
        for place, reward in zip(_places(queries), rewards, strict=True):
            database.record(place, reward=reward.reward, cost=reward.cost)
        metrics = step_metrics(queries, database, self._meter)
        saves = step % self._config.checkpoint_every == 0 or step == self._config.steps
        if saves and self._held_out:
            metrics |= await self._try_held_out(database)
        tokens, cost = self.spent_with(self._meter)
        metrics |= {"seconds": time.monotonic() - began, "tokens_total": tokens, "cost_total": cost}
        events: list[Event] = [
            TrainingMetric(step=step, values=metrics),
            AgentsRewarded(step=step, rewards=tuple(rewards)),
            *self._samples(step, queries),
        ]
        self._known = database.statistics()
        if saves:
            events.append(await to_its_end(self.checkpoint, step, metrics))
        await self.keep(events, step=step, tokens=tokens, cost=cost)
        self._context.pulse.share = 0.0
        return events

    async def _asked(self, step: int, database: AgentDatabase) -> list[Query]:
        config, done = self._config, 0
        order = task_indices(
            len(self._training), step, per_step=config.queries_per_step, seed=self._context.seed
        )

        async def solved(place: int, index: int) -> Query:
            nonlocal done
            query = await self._queries.solve(
                self._tasks[index],
                database,
                k=config.k,
                seed=_seed(self._context.seed, step, place),
                reward_model=self._reward,
                keep=place < config.samples_per_step,
            )
            done += 1
            self._context.pulse.share = done / len(order)
            return query

        return await all_or_first_error(
            solved(place, self._training[index]) for place, index in enumerate(order)
        )

    async def _try_held_out(self, database: AgentDatabase) -> dict[str, float]:
        """Answer every held-out task like a run."""
        run = self._config.run_config()
        scoring = run.scoring(weight=run.exploration_weight, exploration=run.exploration)
        known = database.rescored(scoring)
        queries = await all_or_first_error(
            self._queries.solve(self._tasks[index], known, k=run.k, seed=0)
            for index in self._held_out
        )
        self._require_endpoints(queries)
        return held_out_metrics(queries)

    def _require_endpoints(self, queries: Sequence[Query]) -> None:
        """Raise MethodError if endpoints fail: a dead endpoint would teach that no agent can
        answer."""
        failures = [failure for query in queries for failure in query.failures]
        agents = sum(query.agents for query in queries)
        late = sum(query.late for query in queries)
        # One dead endpoint in each query, and none of them says anything.
        none_told = failures and all(query.unanswered for query in queries)
        if len(failures) > FAILING_SHARE * agents or (none_told and not late):
            raise MethodError(
                code="endpoint_failing",
                message=(
                    f"{len(failures)} of {agents} agents of this step failed at their "
                    f"endpoints: {failures[0].message}"
                ),
                remedy="Repair the endpoint and resume the training. No finished step is lost.",
            )
        if late and all(query.unanswered for query in queries):
            raise MethodError(
                code="out_of_time",
                message=(
                    f"{late} of {len(queries)} queries of this step reached their limit of "
                    f"{self._context.per_system.max_seconds:g} seconds."
                ),
                remedy=(
                    "Start a new training with more seconds per query, or fewer queries per step."
                ),
            )

    def _require_learning(self, queries: Sequence[Query]) -> None:
        """Make sure that paid steps teach something. Raises MethodError with the reason after
        `BARREN_QUERIES` in a row without any reward, if they have a problem."""
        barren = [query for query in queries if not query.earned]
        if len(barren) < len(queries):
            self._barren = 0
            return
        self._barren += len(barren)
        problem = next((query.problem for query in barren if query.problem), "")
        if self._barren < BARREN_QUERIES or not problem:
            return
        unplanned = sum(not query.planned for query in barren)
        raise MethodError(
            code="nothing_learned",
            message=(
                f"Nothing was learned from the last {self._barren} queries. {unplanned} of this "
                f"step's {len(barren)} were not divided into subtasks. {problem}"
            ),
            remedy=(
                "Fix this and resume, or start a new training with another planner or reward "
                "model. No finished step is lost."
            ),
        )

    def _samples(self, step: int, queries: Sequence[Query]) -> list[TrainingSample]:
        kept = [
            TrainingSample(
                step=step,
                index=index,
                query=query.task.query,
                reference=query.task.reference,
                answer=query.answer,
                correct=query.correct,
                reward=float(query.correct),
                tokens=query.tokens,
                advantages=(),
                action_rewards=(),
                graph=query.graph,
                trace=tuple(event.model_dump(mode="json") for event in query.events),
            )
            for index, query in enumerate(queries[: self._config.samples_per_step])
        ]
        return [TrainingSample.model_validate(clean(each.model_dump())) for each in kept]

    # -- what stays

    async def _begun(self) -> AgentDatabase:
        config = self._config
        if isinstance(self._reward, ModelReward):
            await self._reward.ready()  # before anything is paid for
        scoring = config.scoring(weight=config.exploration_weight, exploration=config.exploration)
        return await database_of(self._context, config, scoring, self._known)

    def checkpoint(self, step: int, metrics: dict[str, float]) -> CheckpointSaved:
        trained_on, held_out = known_hashes(self._tasks, self._training, self._context.start_from)
        info = CheckpointInfo(
            method=METHOD_KEY,
            label=f"ReSo, step {step}",
            trained=True,
            seed=self._context.seed,
            code_version=code_version(self._context),
            recipe=self._context.recipe
            | {"kind": "trained", "step": step, "training": self._config.model_dump(mode="json")},
            run=self._config.run_config().model_dump(mode="json"),
            trained_on=trained_on,
            held_out=held_out,
        )
        return checkpoint_saved(
            self._context, step, metrics, lambda folder: save_profiles(folder, self._known, info)
        )

    def write(self, progress: Progress) -> None:
        save_state(self._context.folder, self._known, progress, seed=self._context.seed)

    def _restored(self) -> tuple[Progress, dict[AgentKey, Statistics]]:
        config: dict[str, Any] = self._config.model_dump(mode="json")
        found = load_state(self._context.folder)
        if found is None:
            begun = Progress(config=config, tasks=self._digest)
            return begun, profiles_in(self._context.start_from, method=METHOD_KEY)
        progress, _ = found
        began = ReSoTrainingConfig.model_validate(progress.config).model_dump(mode="json")
        require_same(began, config, same_tasks=progress.tasks == self._digest)
        return found


def reward_model(
    config: ReSoTrainingConfig, context: TrainingContext, client: ChatClient
) -> RewardModel:
    """Raises MethodError if the judge's endpoint is missing."""
    if config.reward == "rule":
        return RuleReward(config.tolerance)
    if config.reward == "model":
        named = config.reward_checkpoint
        folder = context.checkpoints / named if named and context.checkpoints else None
        return ModelReward(config.reward_model, checkpoint=folder, form=config.reward_form)
    return JudgeReward(client, endpoint_named(config.judge_endpoint, context))


def _places(queries: Sequence[Query]) -> list[int]:
    return [earned.place for query in queries for earned in query.earned]


def _seed(*parts: int) -> int:
    """The seed of a query's agents, in [0, 2³¹)."""
    state: int = np.random.SeedSequence(parts).generate_state(1)[0]
    return int(state) >> 1

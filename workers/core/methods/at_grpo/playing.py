"""A run: the team plays one episode, each message by a model on the run's endpoint."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from workers.core.environments.base import Environment, EpisodeError
from workers.core.errors import MethodError
from workers.core.events import (
    EpisodeMoved,
    EpisodeStarted,
    Event,
    GraphPlanned,
    IntermediateAnswer,
)
from workers.core.llm.types import ChatMessage
from workers.core.mas.agent import Team, run_agent
from workers.core.mas.context import MethodContext
from workers.core.mas.failures import EMPTY_MESSAGE
from workers.core.mas.outcome import AgentOutcome, Sampling
from workers.core.methods.at_grpo.config import AtGrpoConfig
from workers.core.methods.at_grpo.graphs import graph_of
from workers.core.methods.at_grpo.team import require_reader
from workers.core.methods.at_grpo.trees import messages_for
from workers.core.rollouts.kept import kept_in, trained_with
from workers.core.specs import TaskSpec


class Episode:
    def __init__(
        self,
        task: TaskSpec,
        environment: Environment[Any],
        context: MethodContext,
        config: AtGrpoConfig,
    ) -> None:
        """Raises MethodError for a task that is no episode of the environment."""
        self._team = Team(task.query, context)
        self._environment = environment
        self._config = config
        self._models = _models(context, config, environment)
        trained = trained_with(context.checkpoint) if context.checkpoint else {}
        self._trained_tokens = int(trained.get("max_tokens", 0))
        try:
            self._state = environment.begin(task)
        except EpisodeError as error:
            raise MethodError(
                code="no_episode",
                message=str(error),
                remedy="Correct the task, or choose another one.",
            ) from error
        self._said: list[AgentOutcome] = []

    async def events(self) -> AsyncGenerator[Event]:
        environment, config = self._environment, self._config
        yield EpisodeStarted(
            environment=environment.key,
            name=environment.name,
            picture=environment.picture(self._state),
            turns=config.turns,
        )
        ended: str | None = None
        for turn in range(1, config.turns + 1):
            seen = self._state
            for agent in range(len(environment.roles)):
                observed = self._state if config.order == "sequential" else seen
                async with aclosing(self._asked(agent, observed, turn)) as events:
                    async for event in events:
                        yield event
                moved = await self._moved(agent, turn)
                ended = moved.ended
                yield moved
                if ended:
                    break
            answer = environment.answer(self._state) or None
            yield IntermediateAnswer(step=turn, answer=answer, agent_id=self._said[-1].agent_id)
            if ended:
                return
            self._state = environment.turned(self._state)

    async def _asked(self, agent: int, observed: Any, turn: int) -> AsyncGenerator[Event]:
        """The agent's events. Its prompt is the one that it was trained on, word for word."""
        graph = graph_of(self._environment.roles, len(self._said) + 1)
        yield GraphPlanned(graph=graph)
        node = graph.nodes[-1]
        asked = messages_for(self._environment, observed, agent)
        messages = tuple(ChatMessage(role=m["role"], content=m["content"]) for m in asked)
        before = self._said[-1:]
        events = run_agent(
            node,
            [outcome for outcome in before if outcome.usable],
            team=self._team_with(self._models[agent]),
            # Another seed in each turn: the same board may come again.
            sampling=Sampling(self._config.temperature, self._team.context.seed + turn - 1),
            messages=messages,
        )
        async with aclosing(events):
            async for event in events:
                yield event
        self._said.append(self._team.outcomes[node.id])

    def _team_with(self, model: str | None) -> Team:
        """The team as its next agent sees it: the endpoint is asked for this model, whose replies
        may be as long as in its training."""
        if model is None:
            return self._team
        context = self._team.context
        length = max(context.endpoint.context_length, 2 * self._trained_tokens)
        trained = {"model": model, "context_length": length}
        endpoint = context.endpoint.model_copy(update=trained)
        return replace(self._team, context=replace(context, endpoint=endpoint))

    async def _moved(self, agent: int, turn: int) -> EpisodeMoved:
        """Raises MethodError if the agent's endpoint failed. A message without a word is one."""
        said = self._said[-1]
        if said.failure is not None and said.failure.code != EMPTY_MESSAGE.code:
            failure = said.failure
            raise MethodError(code=failure.code, message=failure.message, remedy=failure.remedy)
        environment = self._environment
        acted = await environment.act(self._state, agent, said.message)
        self._state = acted.state
        return EpisodeMoved(
            agent_id=said.agent_id,
            turn=turn,
            read=acted.read,
            team=dict(acted.reward.team),
            local=dict(acted.reward.local),
            picture=environment.picture(self._state),
            ended=environment.ended(self._state),
        )


def _models(
    context: MethodContext, config: AtGrpoConfig, environment: Environment[Any]
) -> list[str | None]:
    """The name of each agent's model at the endpoint; None: the endpoint's own. Raises
    MethodError."""
    agents = len(environment.roles)
    if context.checkpoint is None:
        require_reader(environment, context.endpoint.model)
        return [None] * agents
    kept = kept_in(context.checkpoint)
    require_reader(environment, kept.model)
    if len(kept.agents) != agents:
        raise MethodError(
            code="checkpoint_other_agents",
            message=(
                f"The checkpoint {context.checkpoint.name} was trained for {len(kept.agents)} "
                f"agents, and {agents} play."
            ),
            remedy="Set “plays” as in its training, or choose another checkpoint.",
        )
    policies = reversed(kept.agents) if config.swapped else kept.agents
    return [f"{context.checkpoint.name}:{policy}" for policy in policies]

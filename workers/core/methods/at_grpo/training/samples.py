"""An episode of a training as a sample to look at: the branches that were played, as a run."""

from collections.abc import Iterator
from typing import Any

from workers.core.environments.base import Environment
from workers.core.events import (
    AgentFinished,
    AgentStarted,
    EpisodeMoved,
    EpisodeStarted,
    Event,
    GraphPlanned,
    TrainingSample,
)
from workers.core.methods.at_grpo.graphs import agent_id, graph_of
from workers.core.methods.at_grpo.trees import Branch, Group, Grown
from workers.core.plain_text import clean
from workers.core.specs import Usage


def sample_of(
    grown: Grown, place: int, *, step: int, environment: Environment[Any], turns: int
) -> TrainingSample:
    """`place`: the episode's among those of the step."""
    episode = grown.episodes[place]
    groups = [group for group in grown.groups if group.episode == place]
    played = [_taken(group) for group in groups]
    trace = [
        EpisodeStarted(
            environment=environment.key,
            name=environment.name,
            picture=environment.picture(environment.begin(episode.task)),
            turns=turns,
        ),
        *(
            event
            for number, (group, branch) in enumerate(zip(groups, played, strict=True))
            for event in _spoken(group, branch, number, environment, episode.ended)
        ),
    ]
    sample = TrainingSample(
        step=step,
        index=place,
        query=episode.task.query,
        reference=episode.task.reference,
        answer=environment.answer(episode.state) or None,
        correct=episode.is_solved,
        reward=sum(branch.mixed for branch in played),
        tokens=sum(len(branch.sample.tokens) for branch in played),
        advantages=tuple(branch.advantage for branch in played),
        action_rewards=tuple(branch.mixed for branch in played),
        graph=graph_of(environment.roles, len(played)),
        trace=tuple(event.model_dump(mode="json") for event in trace),
    )
    # Without text from models that JSON or a database does not accept, before the state has it.
    return TrainingSample.model_validate(clean(sample.model_dump()))


def _taken(group: Group) -> Branch:
    return next(branch for branch in group.branches if branch.taken)


def _spoken(
    group: Group, branch: Branch, number: int, environment: Environment[Any], ended: str
) -> Iterator[Event]:
    roles, sample = environment.roles, branch.sample
    role, spoken = roles[group.agent], agent_id(roles[group.agent], group.turn + 1)
    graph = graph_of(roles, number + 1)
    yield GraphPlanned(graph=graph)
    yield AgentStarted(
        agent_id=spoken,
        role_key=role.key,
        role_name=role.name,
        family=role.family,
        reads=tuple(edge.source for edge in graph.edges if edge.target == spoken),
        endpoint=group.policy,
        prompt=tuple(group.messages),
    )
    yield AgentFinished(
        agent_id=spoken,
        message=branch.message,
        answer=branch.read or None,
        usage=Usage(prompt_tokens=len(sample.prompt), completion_tokens=len(sample.tokens), cost=0),
        seconds=0,
        truncated=sample.finish == "length",
    )
    yield EpisodeMoved(
        agent_id=spoken,
        turn=group.turn + 1,
        read=branch.read,
        team=dict(branch.reward.team),
        local=dict(branch.reward.local),
        picture=dict(group.picture),
        ended=ended if group.is_last else None,
    )

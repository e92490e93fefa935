"""Tree sampling: K answers of each agent in each turn, of which the best is played (AT-GRPO, arXiv
2510.11062, §4.2 and Algorithm 1).

Legend: E episodes side by side, N agents, T turns, K branches.

At each turn each agent in order answers K times from the same observation. Each answer is rewarded
on the same state. The best is carried out, and the next agent sees what it did. The published code
lets all agents speak before any acts, and then copies the first agent's best branch, so that the
second agent's K rewards are equal; here neither can happen.
"""

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from workers.core.concurrency import all_or_first_error, to_its_end
from workers.core.environments.base import Acted, Environment, Order, Reward, about
from workers.core.errors import MethodError
from workers.core.rl.groups import relative, relative_in_step
from workers.core.rollouts.base import Ids, PolicyEngine, Sample, Sampling
from workers.core.rollouts.branches import prompt_hash
from workers.core.specs import TaskSpec

log = logging.getLogger(__name__)

Grouping = Literal["both", "agent", "turn", "none"]
"""Which answers of an episode are compared with each other: those of one agent in one turn, of one
agent, of one turn, or all."""
Scale = Literal["group", "step"]
"""What advantages are divided by: the deviation of the answers compared, or of a whole step's."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One answer. `mixed` is its reward by Eq. 3; `advantage` that in its group (Eq. 1). `solves`:
    the team's answer is right after it."""

    sample: Sample
    message: str
    read: str
    reward: Reward
    mixed: float
    advantage: float = 0.0
    taken: bool = False
    solves: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """The answers of one agent in one turn of an episode, all to the same prompt, which is made of
    `messages`. `picture`: the state after the one that was taken. `is_last`: the episode ended with
    it."""

    episode: int
    agent: int
    turn: int
    policy: str
    messages: tuple[Mapping[str, str], ...] = ()
    branches: tuple[Branch, ...] = ()
    picture: Mapping[str, Any] = field(default_factory=dict)
    is_last: bool = False

    @property
    def prompt_hash(self) -> str:
        return prompt_hash(self.branches[0].sample.prompt)


@dataclass(frozen=True, slots=True)
class Episode:
    """How an episode ended: `ended` is the environment's word, or "turns" if none came.
    `is_solved`: the team's answer is right."""

    task: TaskSpec
    state: Any
    turns: int
    ended: str
    is_solved: bool


@dataclass(frozen=True, slots=True)
class TreeOptions:
    branches: int
    turns: int
    alpha: float
    order: Order
    grouping: Grouping
    max_tokens: int
    scale: Scale = "group"
    temperature: float = 1.0


@dataclass(frozen=True, slots=True)
class Grown:
    groups: list[Group]
    episodes: list[Episode]


@dataclass(frozen=True, slots=True)
class Trees:
    """Who plays what. `policies`: that of each agent, in order."""

    engine: PolicyEngine
    environment: Environment[Any]
    policies: Sequence[str]
    options: TreeOptions

    async def grown(self, tasks: Sequence[TaskSpec], *, seed: int) -> Grown:
        """Plays all tasks side by side. The same arguments and weights give the same trees."""
        options, environment = self.options, self.environment
        states = [environment.begin(task) for task in tasks]
        ends: list[str | None] = [None] * len(tasks)
        turns = [0] * len(tasks)
        groups: list[Group] = []
        for turn in range(options.turns):
            seen = list(states)  # of the turn's start, for agents that act at once
            for agent in range(len(self.policies)):
                live = [at for at, end in enumerate(ends) if end is None]
                if not live:
                    break
                observed = states if options.order == "sequential" else seen
                policy = self.policies[agent]
                asked = [messages_for(environment, observed[at], agent) for at in live]
                prompts = [self.engine.prompt(policy, messages) for messages in asked]
                sampling = Sampling(
                    options.max_tokens, _seed(seed, turn, agent), options.temperature
                )
                sampled = await to_its_end(
                    self.engine.sample, policy, prompts, options.branches, sampling
                )
                _require_one_prompt(prompts, sampled)
                # Side by side, because some environments run programs.
                branched = await all_or_first_error(
                    self._branched(
                        tasks[at], states[at], samples, Group(at, agent, turn, policy, messages)
                    )
                    for at, messages, samples in zip(live, asked, sampled, strict=True)
                )
                for at, (group, state) in zip(live, branched, strict=True):
                    states[at] = state
                    ends[at], turns[at] = environment.ended(state), turn + 1
                    groups.append(replace(group, is_last=ends[at] is not None))
            states = [
                environment.turned(state) if end is None else state
                for state, end in zip(states, ends, strict=True)
            ]
        episodes = [
            Episode(task, state, turned, end or "turns", environment.solved(state))
            for task, state, turned, end in zip(tasks, states, turns, ends, strict=True)
        ]
        return Grown(advantaged(groups, options.grouping, options.scale), episodes)

    async def played(self, tasks: Sequence[TaskSpec]) -> Grown:
        """Each task once, as a run plays it: one answer of each agent in each turn, by the most
        probable tokens."""
        options = replace(self.options, branches=1, temperature=0.0)
        return await replace(self, options=options).grown(tasks, seed=0)

    async def _branched(
        self, task: TaskSpec, state: Any, samples: Sequence[Sample], group: Group
    ) -> tuple[Group, Any]:
        """All branches tried on the same state, and the state after the best one."""
        messages = [self.engine.text(group.policy, sample.tokens) for sample in samples]
        acted = await all_or_first_error(
            self._acted(task, state, group, message) for message in messages
        )
        branches = [
            Branch(
                sample,
                message,
                done.read,
                done.reward,
                done.reward.mixed(self.options.alpha),
                solves=self.environment.solved(done.state),
            )
            for sample, message, done in zip(samples, messages, acted, strict=True)
        ]
        best = max(range(len(branches)), key=lambda at: branches[at].mixed)
        branches[best] = replace(branches[best], taken=True)
        state = acted[best].state
        picture = self.environment.picture(state)
        return replace(group, branches=tuple(branches), picture=picture), state

    async def _acted(self, task: TaskSpec, state: Any, group: Group, message: str) -> Acted[Any]:
        """Raises MethodError also for an environment that fails, which the step repeated would meet
        again."""
        try:
            return await self.environment.act(state, group.agent, message)
        except MethodError:
            raise
        except Exception as error:
            log.exception("%s failed on an answer: %r", self.environment.name, message)
            role = self.environment.roles[group.agent].name
            raise MethodError(
                code="environment_failed",
                message=(
                    f"{self.environment.name} failed ({type(error).__name__}) on an answer of the "
                    f"{role} in turn {group.turn + 1}. {about(task)} was being played."
                ),
                remedy=(
                    "Start a training without this task from the latest checkpoint, and report "
                    "the failure with the worker's log."
                ),
            ) from error


def _require_one_prompt(prompts: Sequence[Ids], sampled: Sequence[Sequence[Sample]]) -> None:
    """Raises MethodError if a group has answers to another prompt: their rewards can't be compared.
    An engine that mixes answers up would teach nonsense, and no curve would show why."""
    for prompt, samples in zip(prompts, sampled, strict=True):
        if any(sample.prompt != prompt for sample in samples):
            raise MethodError(
                code="other_prompt",
                message="What samples gave a group answers to another prompt than it was asked.",
                remedy="Report this with the worker's log. Resume the training to try again.",
            )


def messages_for(
    environment: Environment[Any], state: Any, agent: int
) -> tuple[Mapping[str, str], ...]:
    return (
        {"role": "system", "content": environment.roles[agent].prompt},
        {"role": "user", "content": environment.observation(state, agent)},
    )


def _seed(seed: int, turn: int, agent: int) -> int:
    digest = hashlib.sha256(f"{seed} {turn} {agent}".encode()).digest()
    return int.from_bytes(digest[:7])


def advantaged(groups: Sequence[Group], grouping: Grouping, scale: Scale = "group") -> list[Group]:
    """With the advantage of each branch, (r − mean) / (std + 1e-6) among those that it is compared
    with (Eq. 1), or with the std of the whole step. It is 0 where there is one, or where all
    rewards are equal."""
    keys: dict[Grouping, Callable[[Group], tuple[int, ...]]] = {
        "both": lambda group: (group.episode, group.agent, group.turn),
        "agent": lambda group: (group.episode, group.agent),
        "turn": lambda group: (group.episode, group.turn),
        "none": lambda group: (group.episode,),
    }
    key = keys[grouping]
    rewards: dict[tuple[int, ...], list[float]] = {}
    for group in groups:
        rewards.setdefault(key(group), []).extend(branch.mixed for branch in group.branches)
    compared = list(rewards.values())
    told = map(relative, compared) if scale == "group" else relative_in_step(compared)
    advantages = dict(zip(rewards, map(iter, told), strict=True))

    def with_own(group: Group) -> Group:
        own = advantages[key(group)]
        branches = (replace(branch, advantage=next(own)) for branch in group.branches)
        return replace(group, branches=tuple(branches))

    return list(map(with_own, groups))

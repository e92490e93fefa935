"""Samples teams on the testbed: many constructions in lockstep, without an LLM or an event loop.

Only the player of an agent differs from `training.systems`. Decisions, states and trajectories are
the same, so the same learner learns here and from an endpoint.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from bench.common.testbed.optimum import Team
from bench.common.testbed.play import Played, play
from bench.common.testbed.queries import Query
from bench.common.testbed.world import DOMAINS, TestbedRole
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.methods.mashost.state import AgentState, ConstructionState
from workers.core.methods.mashost.training.deciding import Sampler
from workers.core.methods.mashost.training.trajectory import (
    Action,
    Trajectory,
    counted_with,
    exploring_at,
    repeats,
)


class Texts:
    """Embeddings of the testbed's sentences, each embedded once."""

    def __init__(self, embedder: MiniLMEmbedder) -> None:
        self._embedder = embedder
        self.silence = torch.zeros(embedder.dimension)
        self._known: dict[str, Tensor] = {}

    def __call__(self, texts: Sequence[str]) -> list[Tensor]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for text, row in zip(new, self._embedder.embed_now(new) if new else [], strict=True):
            self._known[text] = torch.from_numpy(np.array(row))
        return [self._known[text] for text in texts]


@dataclass(slots=True)
class System:
    """One construction on one query."""

    query: Query
    state: ConstructionState
    played: list[Played] = field(default_factory=list)
    tokens: float = 0.0
    actions: list[Action] = field(default_factory=list)

    @property
    def correct(self) -> bool:
        """Rule 7: the newest agent that gives an answer speaks for the system."""
        answers = [agent.right for agent in self.played if agent.right is not None]
        return bool(answers and answers[-1][0])

    @property
    def team(self) -> Team:
        return tuple((agent.role_index, agent.reads) for agent in self.state.agents)

    def trajectory(self) -> Trajectory:
        return Trajectory(tuple(self.actions), self.correct, self.tokens)


class TestbedRollouts:
    """Constructions over the testbed's roles."""

    __test__ = False

    def __init__(self, roles: Sequence[TestbedRole], texts: Texts) -> None:
        self._roles = roles
        self._texts = texts

    def sample(
        self,
        queries: Sequence[Query],
        sampler: Sampler,
        *,
        systems: int,
        explorers: int,
        redraws: int,
        random: np.random.Generator,
    ) -> list[list[Trajectory]]:
        """Groups of `systems` for each query. The last `explorers` of a group follow another team
        and then explore. Repeats within a group are drawn again up to `redraws` times."""
        first = systems - explorers
        rows = self._draw([query for query in queries for _ in range(first)], sampler, random)
        groups = [rows[start : start + first] for start in range(0, len(rows), first)]
        if explorers:
            groups = self._with_explorers(queries, groups, explorers, sampler, random)
        for _ in range(redraws):
            again = [
                (g, *pair)
                for g, group in enumerate(groups)
                for pair in repeats([system.built for system in group]).items()
            ]
            drawn = self._draw([queries[g] for g, _, _ in again], sampler, random)
            for (g, member, first), trajectory in zip(again, drawn, strict=True):
                group = groups[g]
                group[first] = counted_with(group[first], group[member])
                group[member] = trajectory
        return groups

    def _with_explorers(
        self,
        queries: Sequence[Query],
        groups: list[list[Trajectory]],
        count: int,
        sampler: Sampler,
        random: np.random.Generator,
    ) -> list[list[Trajectory]]:
        """Each group with `count` more teams, which follow one of it up to a random action."""
        followed = [
            group[member]
            for group in groups
            for member in random.integers(len(group), size=count).tolist()
        ]
        places = [int(random.integers(len(system.actions))) for system in followed]
        begun = self._begin([query for query in queries for _ in range(count)])
        for system, other, place in zip(begun, followed, places, strict=True):
            for action in other.actions[:place]:
                self._act(system, action.action, action.reads)
        drawn = self._finish(begun, sampler, random, exploring=True)
        explored = map(exploring_at, places, drawn)
        return [[*group, *itertools.islice(explored, count)] for group in groups]

    def _draw(
        self, queries: Sequence[Query], sampler: Sampler, random: np.random.Generator
    ) -> list[Trajectory]:
        """A team for each query."""
        return self._finish(self._begin(queries), sampler, random)

    def _finish(
        self,
        systems: list[System],
        sampler: Sampler,
        random: np.random.Generator,
        *,
        exploring: bool = False,
    ) -> list[Trajectory]:
        """Play the systems to their ends. With `exploring` the next action of each is drawn more
        evenly.

        Raises ValueError if feedback edges are on: no agent revises on the testbed.
        """
        if sampler.config.feedback_edges:
            raise ValueError(
                "The testbed has no feedback edges: no agent revises there. Turn them off."
            )
        live = systems
        while live:
            uniforms = torch.from_numpy(random.random((len(live), 1 + sampler.config.max_agents)))
            drawn, _ = sampler.draw(
                [system.state for system in live],
                uniforms,
                exploring=torch.full((len(live),), exploring),
            )
            exploring = False
            chosen = drawn.chosen.tolist()
            following = []
            for row, action in enumerate(drawn.actions.tolist()):
                reads = tuple(i for i, read in enumerate(chosen[row]) if read)
                if self._act(live[row], action, reads):
                    following.append(live[row])
            live = following
        return [system.trajectory() for system in systems]

    def construct(self, queries: Sequence[Query], sampler: Sampler) -> list[System]:
        """What a policy builds for each query, with the inference config."""
        built = self._begin(queries)
        self._finish(built, sampler, np.random.default_rng(0))
        return built

    def _begin(self, queries: Sequence[Query]) -> list[System]:
        embedded = self._texts([query.text for query in queries])
        return [
            System(query, ConstructionState(query=vector))
            for query, vector in zip(queries, embedded, strict=True)
        ]

    def _act(self, system: System, action: int, reads: tuple[int, ...]) -> bool:
        """Take one action on the system; False if it was EXIT."""
        state, roles = system.state, len(self._roles)
        if action < roles:
            self._add(system, action, reads)
        elif action == roles:
            system.state = state.deleted()
            system.played.pop()
        system.actions.append(Action(state, action, reads, system.correct, system.tokens))
        return action <= roles

    def _add(self, system: System, role: int, reads: tuple[int, ...]) -> None:
        query = system.query
        played = play(
            role, self._roles, query.domain, query.luck, [system.played[i] for i in reads]
        )
        system.tokens += played.tokens
        system.played.append(played)
        message = self._message(role, query.domain, played)
        system.state = system.state.added(
            AgentState(
                f"a{len(system.played)}",
                role,
                reads,
                message,
                silent=played.refused,
                answered=played.right is not None,
            )
        )

    def _message(self, role: int, domain: int, played: Played) -> Tensor:
        """Rule 8: who speaks and about what, but not whether it is right."""
        about = DOMAINS[domain].about
        name = self._roles[role].spec.name
        if played.refused:
            return self._texts.silence
        kind = "My answer" if played.right is not None else "No answer from me"
        return self._texts([f"{name} on {about}. {kind}."])[0]

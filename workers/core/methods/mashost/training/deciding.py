"""Decides for many constructions at once, and records each decision.

One forward pass decides for all constructions that wait in the same turn of the event loop: a step
costs almost the same for one state as for a hundred.
"""

import asyncio
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from workers.core.methods.mashost.build import OwnDecider
from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.construct import Constructor, Decision, EdgeDecision, kind_of
from workers.core.methods.mashost.masks import allowed_actions
from workers.core.methods.mashost.policy import MasHostPolicy, PoolTensors
from workers.core.methods.mashost.state import ConstructionState, collate, distinct
from workers.core.methods.mashost.steps import Drawn, draw


@dataclass(frozen=True, slots=True)
class Sampler:
    """The sampling weights, over one pool under one training's options. With the config of
    inference (`held_out.inference_config`) nothing is drawn."""

    policy: MasHostPolicy
    pool: PoolTensors
    config: MasHostConfig
    explore_power: float = 1.0

    def draw(
        self, states: list[ConstructionState], uniforms: Tensor, *, exploring: Tensor | None = None
    ) -> tuple[Drawn, Tensor]:
        """What was drawn, and what was allowed (N, A).

        `uniforms` is (N, 1 + max_agents), with feedback edges (N, 1 + 2 max_agents); `exploring`
        (N,) bool: for these the action is drawn more evenly than the policy draws it.
        """
        each, where = distinct(states)
        batch = collate(each, role_count=self.pool.size)
        allowed = allowed_actions(each, role_count=self.pool.size, config=self.config)
        width, most = batch.present.shape[1], self.config.max_agents
        starts = [1 + turn * most for turn in range(self.config.edges_per_agent)]
        parts = [uniforms[:, :1], *(uniforms[:, start : start + width] for start in starts)]
        powers = None
        if exploring is not None and exploring.any():
            powers = torch.where(exploring, self.explore_power, 1.0).double()
        drawn = draw(
            self.policy,
            self.pool,
            batch,
            allowed,
            torch.cat(parts, dim=1),
            where=where,
            jpss=self.config.jpss,
            feedback=self.config.feedback_edges,
            powers=powers,
            greedy=self.config.greedy,
            threshold=self.config.edge_threshold if self.config.edge_mode == "threshold" else None,
        )
        return drawn, allowed[where]


class _Waiting(NamedTuple):
    state: ConstructionState
    uniforms: Tensor
    exploring: bool
    future: asyncio.Future[Decision]


class DecisionBatcher:
    """For one event loop. `sampler` may be replaced between two training steps."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler
        self._waiting: list[_Waiting] = []

    async def decide(
        self, state: ConstructionState, uniforms: Tensor, *, exploring: bool = False
    ) -> Decision:
        """See `Sampler.draw`."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Decision] = loop.create_future()
        self._waiting.append(_Waiting(state, uniforms, exploring, future))
        if len(self._waiting) == 1:
            loop.call_soon(self._flush)
        return await future

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        try:
            drawn, allowed = self.sampler.draw(
                [one.state for one in waiting],
                torch.stack([one.uniforms for one in waiting]),
                exploring=torch.tensor([one.exploring for one in waiting]),
            )
        except Exception as error:  # those who wait must get it, or they would wait for ever
            for one in waiting:
                if not one.future.done():
                    one.future.set_exception(error)
            return
        for row, one in enumerate(waiting):
            if not one.future.done():
                one.future.set_result(self._decision(drawn, allowed, row, len(one.state.agents)))

    def _decision(self, drawn: Drawn, allowed: Tensor, row: int, agents: int) -> Decision:
        action = int(drawn.actions[row])
        node = float(drawn.log_probabilities[row, action])
        columns = drawn.edges.shape[1]
        width = columns // self.sampler.config.edges_per_agent
        starts = range(0, columns, width or 1)
        places = [start + place for start in starts for place in range(agents)]
        edges = EdgeDecision.of(
            drawn.edges[row, places].tolist(),
            drawn.chosen[row, places].tolist(),
            agents,
            float(drawn.log_probability[row]) - node,
        )
        kind = kind_of(action, self.sampler.pool.size)
        return Decision(
            kind=kind,
            action=action,
            probabilities=tuple(drawn.log_probabilities[row].exp().tolist()),
            allowed=tuple(allowed[row].tolist()),
            log_probability=node,
            edges=edges if kind == "add" else None,
        )


class Recorder(Protocol):
    """A decider that records the decisions and their states."""

    states: list[ConstructionState]
    decisions: list[Decision]

    async def decide(self, state: ConstructionState) -> Decision: ...


@dataclass(frozen=True, slots=True)
class Exploring:
    """The difference between a system and the one it follows: from the action at `place` on, its
    draws come from `random`, and that action is drawn more evenly."""

    place: int
    random: np.random.Generator


@dataclass(slots=True)
class RecordingDecider:
    """The decider of one construction in training. Draws come only from `random`. With the numbers
    of another system and the same answers it does the same, up to the action that it explores."""

    batcher: DecisionBatcher
    random: np.random.Generator
    exploring: Exploring | None = None
    states: list[ConstructionState] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)

    async def decide(self, state: ConstructionState) -> Decision:
        config = self.batcher.sampler.config
        width = 1 + config.edges_per_agent * config.max_agents
        explores = self.exploring is not None and len(self.states) == self.exploring.place
        if self.exploring is not None and explores:
            self.random = self.exploring.random
        uniforms = torch.from_numpy(self.random.random(width))
        decision = await self.batcher.decide(state, uniforms, exploring=explores)
        self.states.append(state)
        self.decisions.append(decision)
        return decision


class OwnRecorder:
    def __init__(self, constructor: Constructor, seed: int) -> None:
        self._decider = OwnDecider(constructor, seed)
        self.states: list[ConstructionState] = []
        self.decisions: list[Decision] = []

    async def decide(self, state: ConstructionState) -> Decision:
        decision = await self._decider.decide(state)
        self.states.append(state)
        self.decisions.append(decision)
        return decision

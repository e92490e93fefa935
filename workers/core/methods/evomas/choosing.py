"""Chooses the workflow of a stage: by the adapter, or as the settings say."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from workers.core.embed.base import Embedder
from workers.core.errors import MethodError
from workers.core.events import RoleProbability
from workers.core.methods.evomas.adapter import (
    Adapter,
    Choosing,
    Sampled,
    States,
    sample,
    told_apart,
)
from workers.core.methods.evomas.agents import agent_text
from workers.core.methods.evomas.config import EXIT, SolvingConfig
from workers.core.specs import PoolSpec, RoleSpec
from workers.core.tools.registry import TOOLS

Roles = tuple[RoleSpec, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer as it was chosen: the roles in the order of their draw."""

    roles: Roles
    candidates: tuple[RoleProbability, ...]
    log_probability: float = 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """A workflow. `state` and `sampled`, one row each, are what is learned from; None: the workflow
    is fixed."""

    layers: tuple[Layer, ...]
    state: States | None = None
    sampled: Sampled | None = None

    @property
    def exits(self) -> bool:
        return any(role.key == EXIT for layer in self.layers for role in layer.roles)


def choosing_of(config: SolvingConfig, pool: PoolSpec) -> Choosing:
    keys = [role.key for role in pool.roles]
    return Choosing(
        temperature=config.temperature,
        mass=config.mass,
        layers=config.layers,
        most=config.layer_agents,
        exit=keys.index(EXIT) if EXIT in keys else None,
    )


async def embedded(embedder: Embedder | None, texts: Sequence[str]) -> Tensor:
    """(len, D). Raises MethodError `no_embedder`."""
    if embedder is None:
        raise MethodError(
            code="no_embedder",
            message="EvoMAS compares the task's state with agents, but there is no embedder.",
            remedy="Run it on a worker that has the sentence embedder, or name a fixed workflow.",
        )
    return torch.from_numpy(np.array(await embedder.embed(list(texts))))


async def pool_embeddings(embedder: Embedder | None, pool: PoolSpec) -> Tensor:
    """E (N, D), Eq. 21."""
    return told_apart(await embedded(embedder, [agent_text(role, TOOLS) for role in pool.roles]))


@dataclass(frozen=True, slots=True)
class Chooser:
    """Chooses for one task. `fixed` is taken as it is; without it, `seed` None takes the likeliest
    agents, and a seed draws them, another draw for each stage."""

    pool: PoolSpec
    choosing: Choosing
    embedder: Embedder | None
    adapter: Adapter | None = None
    agents: Tensor | None = None  # (N, D)
    fixed: tuple[Roles, ...] = ()
    seed: tuple[int, ...] | None = None

    async def choose(self, lines: Sequence[str], stage: int) -> Decision:
        """`lines`: the state's compact form, a token each. Raises MethodError."""
        if self.fixed or self.adapter is None or self.agents is None:
            return Decision(tuple(Layer(roles, _certain(roles)) for roles in self.fixed))
        tokens = await embedded(self.embedder, lines)
        uniforms = None
        if self.seed is not None:
            shape = (1, self.choosing.layers, len(self.pool.roles))
            draws = np.random.default_rng([*self.seed, stage]).random(shape)
            uniforms = torch.from_numpy(draws).to(tokens.dtype)
        state = States.of(tokens)
        sampled = sample(self.adapter, self.agents, state, self.choosing, uniforms)
        return Decision(tuple(self._layers(sampled)), state, sampled)

    def _layers(self, sampled: Sampled) -> list[Layer]:
        from workers.core.rl.subsets import order_log_probability

        roles = self.pool.roles
        rows = zip(sampled.log_probabilities[0], sampled.orders[0], sampled.present[0], strict=True)
        layers = []
        for log_p, order, present in rows:
            if not present:
                break
            drawn = [place for place in order.tolist() if place >= 0]
            ranks = {place: rank for rank, place in enumerate(drawn, start=1)}
            layers.append(
                Layer(
                    roles=tuple(roles[place] for place in drawn),
                    candidates=tuple(
                        RoleProbability(
                            role=role.key,
                            name=role.name,
                            probability=min(probability, 1.0),
                            rank=ranks.get(place),
                        )
                        for place, (role, probability) in enumerate(
                            zip(roles, log_p.exp().tolist(), strict=True)
                        )
                    ),
                    log_probability=float(
                        order_log_probability(log_p.unsqueeze(0), order.unsqueeze(0))
                    ),
                )
            )
        return layers


def _certain(roles: Roles) -> tuple[RoleProbability, ...]:
    return tuple(
        RoleProbability(role=role.key, name=role.name, probability=1.0, rank=rank)
        for rank, role in enumerate(roles, start=1)
    )

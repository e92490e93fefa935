"""Measures one construction step of MasHost on one CPU thread, with cached embeddings.

    bin/studio bench policy

A step is what a run waits for between two agents: the state as tensors, the encoder, all K + 2 node
probabilities, the choice, the edge probabilities, and the `node_sampled` event. Pools and messages
are random unit vectors; their meaning does not change the cost of a step. States with 0 to 9 agents
take turns. The figures in the last line are medians.
"""

import gc
import statistics
import time

import torch
from torch import Tensor
from torch.nn import functional

from bench.common.report import percentile, report
from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.construct import Constructor
from workers.core.methods.mashost.policy import EmbeddedPool, MasHostPolicy, initial_policy
from workers.core.methods.mashost.state import AgentState, ConstructionState
from workers.core.methods.mashost.trace import edges_sampled, node_sampled
from workers.core.specs import PoolSpec, RoleSpec

SIZES = (32, 1_000)
AGENTS = 9
STEPS = 400
WARM_UP = 40
DIMENSION = 384


def main() -> None:
    torch.set_num_threads(1)
    policy = initial_policy(seed=0)
    rows, medians = [], {}
    for size in SIZES:
        times = step_times(policy, size)
        medians[size] = statistics.median(times)
        rows.append(
            (
                f"{size:,}",
                f"{medians[size]:.2f}",
                f"{percentile(times, 0.95):.2f}",
                f"{max(times):.2f}",
                f"{len(times)}",
            )
        )
    report(
        "policy",
        ("roles", "median ms", "p95 ms", "max ms", "steps"),
        rows,
        ms_32=medians[32],
        ms_1000=medians[1_000],
    )


def step_times(policy: MasHostPolicy, size: int) -> list[float]:
    """Milliseconds of each step, after a warm-up."""
    anchors = unit(len(policy.config.anchors), seed=1)
    with torch.inference_mode():
        tensors = policy.pool_tensors(EmbeddedPool(unit(size, seed=2), anchors))
    # Drawing adds the edge policy to most steps; greedy would often choose EXIT, which is cheaper.
    constructor = Constructor(policy, tensors, MasHostConfig(greedy=False, edge_mode="sample"))
    pool = pool_of(size)
    states = [state_of(agents, size) for agents in range(AGENTS + 1)]
    generator = torch.Generator().manual_seed(0)
    gc.collect()
    times = []
    for index in range(WARM_UP + STEPS):
        state = states[index % len(states)]
        started = time.perf_counter()
        decision = constructor.decide(state, generator)
        node_sampled(state.step, decision, pool, greedy=False, agent_id=None)
        if decision.edges is not None:
            edges_sampled(state.step, "new", state.agents, decision.edges)
        times.append((time.perf_counter() - started) * 1_000)
    return times[WARM_UP:]


def unit(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return functional.normalize(torch.randn(*shape, DIMENSION, generator=generator), dim=-1)


def pool_of(size: int) -> PoolSpec:
    roles = tuple(
        RoleSpec(key=f"r{i}", name=f"Role {i}", family="bench", description="A role.", prompt="Go.")
        for i in range(size)
    )
    return PoolSpec(key="bench", name="Bench", roles=roles)


def state_of(agents: int, size: int) -> ConstructionState:
    state = ConstructionState(query=unit(seed=3))
    for index in range(agents):
        reads = tuple(range(index))[-2:]
        message = unit(seed=10 + index)
        state = state.added(AgentState(f"a{index + 1}", index % size, reads, message))
    return ConstructionState(state.query, state.agents, step=min(state.step, 9))


if __name__ == "__main__":
    main()

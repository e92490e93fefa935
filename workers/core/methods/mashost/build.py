"""Runs a construction: decide, run the added agent, read its message, decide again.

For pools of ordinary size the forward pass runs on the event loop: a step with its event takes a
few milliseconds (docs/results.md). Most of that is the overhead of small operations, which holds
Python's lock, so a thread would add two switches for little gain. Larger pools, reading weights and
embedding texts run in threads.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

import torch
from torch import Tensor

from workers.core.answers.reading import counted
from workers.core.events import Event, IntermediateAnswer, RevisionAsked
from workers.core.graph import next_agent_id, revision_id
from workers.core.mas.agent import Team, run_agent
from workers.core.mas.context import MethodContext
from workers.core.mas.outcome import AgentOutcome, Sampling
from workers.core.mas.summary import SUMMARY_ID, run_summary
from workers.core.methods.mashost.construct import Constructor, Decision, EdgeDecision
from workers.core.methods.mashost.prepared import Prepared
from workers.core.methods.mashost.state import AgentState, ConstructionState
from workers.core.methods.mashost.trace import edges_sampled, node_sampled
from workers.core.methods.outcomes import last_word, speaker_of, stopping_failure
from workers.core.specs import AgentNode, TaskSpec

INLINE_ROLES = 128
"""For pools up to this size, decisions run on the event loop."""

HOPELESS_AFTER = 2
"""Failures in a row, before any agent has spoken, that end a run: the endpoint does not answer."""


class Decider(Protocol):
    async def decide(self, state: ConstructionState) -> Decision: ...


class OwnDecider:
    """Decides for only one construction. Draws come from the run's seed."""

    def __init__(self, constructor: Constructor, seed: int) -> None:
        self._constructor = constructor
        self._generator = torch.Generator().manual_seed(seed)

    async def decide(self, state: ConstructionState) -> Decision:
        constructor = self._constructor
        if constructor.pool.size <= INLINE_ROLES:
            return constructor.decide(state, self._generator)
        return await asyncio.to_thread(constructor.decide, state, self._generator)


class Construction:
    """M_t while it grows, for one run. Read `events` only once.

    Training passes its own `decider`, which records the decisions.
    """

    def __init__(
        self,
        prepared: Prepared,
        *,
        task: TaskSpec,
        context: MethodContext,
        decider: Decider | None = None,
    ) -> None:
        self._prepared = prepared
        self._task = task
        self._team = Team(task.query, context)
        self._outcomes = self._team.outcomes
        self._decider = decider or OwnDecider(prepared.constructor, context.seed)
        self._state = ConstructionState(query=prepared.query)
        self._ran: list[str] = []
        self._spoken: Counter[str] = Counter()
        """How often each agent revised, including revisions that a DELETE took back."""
        self._sampling = Sampling(prepared.constructor.config.temperature)

    async def events(self) -> AsyncGenerator[Event]:
        """From the first action to the answer. The same seed and messages give the same graph."""
        while True:
            step = self._state.step
            decision = await self._decider.decide(self._state)
            agent_id = self._subject(decision)
            yield node_sampled(
                step,
                decision,
                self._prepared.pool,
                greedy=self._prepared.constructor.config.greedy,
                agent_id=agent_id,
                out_of_scope=self._prepared.out_of_scope,
            )
            if decision.kind == "exit":
                break
            if decision.edges is None or agent_id is None:
                self._state = self._agreeing(self._state.deleted())
            else:
                async with aclosing(self._add(agent_id, decision.action, decision.edges)) as added:
                    async for event in added:
                        yield event
            async with aclosing(self._intermediate(step)) as answered:
                async for event in answered:
                    yield event
        async with aclosing(self._finish()) as finished:
            async for event in finished:
                yield event

    def _subject(self, decision: Decision) -> str | None:
        """The agent of an action. An id always names one agent, even a deleted one."""
        if decision.kind == "add":
            return next_agent_id(self._ran)
        return self._state.agents[-1].agent_id if decision.kind == "delete" else None

    def _present(self) -> list[AgentOutcome]:
        """The current messages, in the order of writing."""
        standing = {agent.said for agent in self._state.agents}
        return [outcome for said, outcome in self._outcomes.items() if said in standing]

    async def _add(
        self, agent_id: str, role_index: int, edges: EdgeDecision
    ) -> AsyncGenerator[Event]:
        """The edges of the new agent, its run, its message into the state, and the revisions by the
        agents that it sends back to."""
        agents = self._state.agents
        yield edges_sampled(self._state.step, agent_id, agents, edges)
        self._ran.append(agent_id)
        reads = [agents[position].said for position in edges.reads]
        async with aclosing(self._run(agent_id, role_index, reads)) as events:
            async for event in events:
                yield event
        self._stop_when_hopeless()
        step, outcome = self._state.step, self._outcomes[agent_id]
        self._spoken[agent_id] += 1
        added = AgentState(
            agent_id,
            role_index,
            edges.reads,
            await self._message_embedding(outcome),
            silent=not outcome.usable,
            answered=outcome.answer is not None,
        )
        self._state = self._agreeing(self._state.added(added))
        for position in edges.sends if outcome.usable else ():
            async with aclosing(self._revise(position, sender=agent_id, step=step)) as revised:
                async for event in revised:
                    yield event

    def _run(self, agent_id: str, role_index: int, reads: Sequence[str]) -> AsyncGenerator[Event]:
        node = AgentNode(id=agent_id, role=self._prepared.pool.roles[role_index])
        inputs = [self._outcomes[read] for read in reads]
        return run_agent(node, inputs, team=self._team, sampling=self._sampling)

    async def _revise(self, position: int, *, sender: str, step: int) -> AsyncGenerator[Event]:
        """The agent there reads what it read before, its own message and the sender's. It writes a
        message that replaces its first one. If it fails or refuses, the first one stays."""
        agents = self._state.agents
        agent = agents[position]
        self._spoken[agent.agent_id] += 1
        revision = revision_id(agent.agent_id, self._spoken[agent.agent_id])
        reads = (*(agents[read].said for read in agent.reads), agent.said, sender)
        yield RevisionAsked(
            step=step,
            agent_id=revision,
            revises=agent.said,
            sender=sender,
            reads=reads,
            round=len(agent.revisions) + 2,
        )
        async with aclosing(self._run(revision, agent.role_index, reads)) as events:
            async for event in events:
                yield event
        outcome = self._outcomes[revision]
        if not outcome.usable:
            return
        revised = replace(
            agent,
            message=await self._message_embedding(outcome),
            silent=False,
            answered=outcome.answer is not None,
            revisions=(*agent.revisions, revision),
        )
        self._state = self._agreeing(self._state.revised(position, revised))

    def _agreeing(self, state: ConstructionState) -> ConstructionState:
        """The state with the agents that gave the same answer, by the current messages."""
        outcomes = [self._outcomes[agent.said] for agent in state.agents]
        given = [
            (place, outcome.answer)
            for place, outcome in enumerate(outcomes)
            if outcome.usable and outcome.answer is not None
        ]
        agrees: list[tuple[int, ...]] = [()] * len(outcomes)
        for group in counted([answer for _, answer in given], self._task.answer_form):
            places = [given[member][0] for member in group]
            for number, place in enumerate(places):
                agrees[place] = tuple(places[:number])
        return state.agreeing(agrees)

    async def _message_embedding(self, outcome: AgentOutcome) -> Tensor:
        if not outcome.usable:
            return torch.zeros_like(self._prepared.query)
        rows = await self._prepared.embedder.embed([outcome.message])
        return torch.from_numpy(rows[0].copy())

    async def _intermediate(self, step: int) -> AsyncGenerator[Event]:
        """O_t: the answer of the newest agent with one, or a summary of all agents so far."""
        present = self._present()
        speaker = speaker_of(present) if present else None
        summarises = self._prepared.constructor.config.answer_from == "summary"
        if summarises and any(outcome.usable for outcome in present):
            agent_id = f"{SUMMARY_ID}-{step}"
            async with aclosing(self._summary(agent_id)) as events:
                async for event in events:
                    yield event
            speaker = self._outcomes[agent_id]
        yield IntermediateAnswer(
            step=step,
            answer=speaker.answer if speaker else None,
            agent_id=speaker.agent_id if speaker else None,
        )

    async def _finish(self) -> AsyncGenerator[Event]:
        """EXIT: the answer is the summary agent's, or that of the newest agent with one."""
        present = self._present()
        summarises = self._prepared.constructor.config.final_answer == "summary"
        if summarises and any(outcome.usable for outcome in present):
            async with aclosing(self._summary(SUMMARY_ID)) as events:
                async for event in events:
                    yield event
            present.append(self._outcomes[SUMMARY_ID])
        yield last_word(present, step=self._state.step)

    def _summary(self, agent_id: str) -> AsyncGenerator[Event]:
        return run_summary(
            self._present(), team=self._team, agent_id=agent_id, sampling=self._sampling
        )

    def _stop_when_hopeless(self) -> None:
        ran = [self._outcomes[agent_id] for agent_id in self._ran]
        if len(ran) >= HOPELESS_AFTER and all(outcome.failure is not None for outcome in ran):
            failure = stopping_failure(ran)
            if failure is not None:
                raise failure

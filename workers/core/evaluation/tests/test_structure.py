"""Variants of a graph, and whole runs of them against the stub LLM."""

import pytest

from workers.core.evaluation.structure import (
    Variant,
    one_less,
    one_more,
    run_variant,
    variants,
    without_agent,
)
from workers.core.events import AgentStarted, Event, RunFailed, RunFinished
from workers.core.graph import predecessors
from workers.core.llm.client import OpenAIClient
from workers.core.mas.tests.support import endpoint, graph
from workers.core.methods.tests.support import HashEmbedder, small_pool
from workers.core.specs import GraphSpec, PoolSpec, RunSpec, TaskSpec
from workers.core.testing.stub_llm import RunningStub
from workers.core.tests.support import known, of_kind

TASK = TaskSpec(query="14 loaves at 3 dollars and 5 cakes at 12 dollars", reference="102")
CHAIN = graph("a1>a2 a2>a3")
DIAMOND = graph("a1>a2 a1>a3 a2>a4 a3>a4")


def spec(url: str) -> RunSpec:
    return RunSpec(
        task=TASK, method="mashost", checkpoint="x", endpoint=endpoint(url), stream=False
    )


async def events_of(
    variant: Variant, url: str, client: OpenAIClient, *, summary: bool = True
) -> list[Event]:
    running = run_variant(variant, spec(url), client=client, summary=summary)
    return [event async for event in running]


class TestLess:
    def test_a_chain_stays_a_chain(self) -> None:
        less = without_agent(CHAIN, "a2")
        assert predecessors(less) == {"a1": (), "a3": ("a1",)}

    def test_an_edge_that_is_there_is_not_doubled(self) -> None:
        less = without_agent(graph("a1>a2 a2>a3 a1>a3"), "a2")
        assert [(e.source, e.target) for e in less.edges] == [("a1", "a3")]

    def test_ends_have_nothing_to_close_up(self) -> None:
        assert predecessors(without_agent(DIAMOND, "a1")) == {
            "a2": (),
            "a3": (),
            "a4": ("a2", "a3"),
        }

    def test_the_seed_draws_and_every_agent_can_be_drawn(self) -> None:
        drawn = {one_less(DIAMOND, seed=seed) for seed in range(40)}
        assert len({v.changed for v in drawn if v}) == 4
        assert one_less(DIAMOND, seed=5) == one_less(DIAMOND, seed=5)

    def test_one_agent_or_none_has_no_less(self) -> None:
        assert one_less(graph("", alone=["a1"]), seed=0) is None
        assert one_less(GraphSpec(), seed=0) is None

    def test_an_unknown_agent_is_refused(self) -> None:
        with pytest.raises(KeyError):
            without_agent(CHAIN, "a9")


class TestMore:
    async def more(self, of: GraphSpec, pool: PoolSpec, *, summary: bool = True) -> Variant | None:
        return await one_more(of, task=TASK, pool=pool, embedder=HashEmbedder(), summary=summary)

    async def test_the_new_agent_reads_everybody_whom_nobody_reads(self) -> None:
        more = known(await self.more(graph("a1>a3 a2>a4"), small_pool()))
        reads = predecessors(more.graph)
        assert reads["a5"] == ("a3", "a4")
        assert more.changed == more.graph.nodes[-1].role.key

    async def test_where_the_last_agent_answers_it_still_does_and_reads_the_new_one(self) -> None:
        more = known(await self.more(DIAMOND, small_pool(), summary=False))
        reads = predecessors(more.graph)
        assert [node.id for node in more.graph.nodes] == ["a1", "a2", "a3", "a5", "a4"]
        assert reads["a5"] == ("a2", "a3")
        assert set(reads["a4"]) == {"a2", "a3", "a5"}
        assert more.changed == more.graph.nodes[-2].role.key

    async def test_an_agent_that_is_alone_reads_the_new_one(self) -> None:
        more = known(await self.more(graph("", alone=["a1"]), small_pool(), summary=False))
        assert predecessors(more.graph) == {"a2": (), "a1": ("a2",)}

    async def test_a_role_that_plays_already_is_not_taken(self) -> None:
        pool = small_pool()
        playing = GraphSpec(
            nodes=tuple(
                node.model_copy(update={"role": role})
                for node, role in zip(DIAMOND.nodes, pool.roles, strict=False)
            ),
            edges=DIAMOND.edges,
        )
        more = known(await self.more(playing, pool))
        assert more.changed == pool.roles[-1].key
        assert await self.more(more.graph, pool) is None


async def test_all_three_are_run_alike(stub: RunningStub, client: OpenAIClient) -> None:
    found = await variants(
        CHAIN, task=TASK, pool=small_pool(), embedder=HashEmbedder(), summary=True, seed=1
    )
    assert [variant.kind for variant in found] == ["M", "M-", "M+"]
    for variant in found:
        events = await events_of(variant, stub.url, client)
        end = of_kind(RunFinished, events[-1])
        assert end.answer == "102"
        assert end.graph == variant.graph
        started = [e for e in events if isinstance(e, AgentStarted)]
        assert [e.agent_id for e in started if not e.summary] == [n.id for n in variant.graph.nodes]
        assert started[-1].summary
        assert set(started[-1].reads) == {n.id for n in variant.graph.nodes}


async def test_where_no_summary_answered_the_last_agent_does(
    stub: RunningStub, client: OpenAIClient
) -> None:
    events = await events_of(Variant("M", CHAIN), stub.url, client, summary=False)
    end = of_kind(RunFinished, events[-1])
    assert end.answer == "102"
    started = [event for event in events if isinstance(event, AgentStarted)]
    assert [event.agent_id for event in started] == ["a1", "a2", "a3"]


async def test_a_dead_endpoint_ends_the_run_with_its_cause(client: OpenAIClient) -> None:
    events = await events_of(Variant("M", CHAIN), "http://127.0.0.1:9/v1", client)
    end = of_kind(RunFailed, events[-1])
    assert end.failure.code == "connection_refused"

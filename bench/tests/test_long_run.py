"""The run that the benchmark of the pages opens."""

from bench.common.long_run import AGENTS, EVENTS, events_of, graph_of
from workers.core.events import AgentStarted
from workers.core.pools import load_builtin_pool


def test_it_has_as_many_agents_and_events_as_it_says_and_is_the_same_each_time() -> None:
    roles = load_builtin_pool("general").roles
    graph = graph_of(roles)
    assert graph == graph_of(roles)
    assert len(graph.nodes) == AGENTS
    assert 1.5 * AGENTS < len(graph.edges) < 2.5 * AGENTS
    events = events_of(graph, roles)
    assert len(events) == EVENTS
    reads = {each.agent_id: each.reads for each in events if isinstance(each, AgentStarted)}
    assert {(e.source, e.target) for e in graph.edges} == {
        (source, target) for target, sources in reads.items() for source in sources
    }

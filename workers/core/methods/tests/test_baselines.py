"""Direct, chain of thought and self-consistency against the stub LLM over HTTP."""

from __future__ import annotations

import pytest

from workers.core.errors import MethodError
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.registry import METHODS
from workers.core.methods.seeds import sample_seed
from workers.core.methods.self_consistency import ROLE as VOTER
from workers.core.methods.tests.support import QUERY, context_for, events_of, kinds, only
from workers.core.methods.voting import majority
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Rule

ALONE = ["graph_planned", "agent_started", "agent_finished", "intermediate_answer"]


@pytest.mark.parametrize("key", ["direct", "chain_of_thought"])
async def test_one_agent_answers(key: str, stub: RunningStub) -> None:
    stub.clear()
    async with context_for(stub.url) as context:
        events = await events_of(METHODS[key], context)
    assert kinds(events) == ALONE
    answer = only(events, "intermediate_answer")[-1]
    assert (answer.answer, answer.agent_id, answer.step) == ("102", "a1", 1)
    [planned] = only(events, "graph_planned")
    assert [node.id for node in planned.graph.nodes] == ["a1"]
    [request] = stub.log()["requests"]
    assert QUERY in request["messages"][-1]["content"]
    assert request["temperature"] == 0


@pytest.mark.parametrize("key", ["direct", "chain_of_thought"])
async def test_the_same_run_twice_gives_the_same_events(key: str, stub: RunningStub) -> None:
    async with context_for(stub.url) as context:
        runs = [await events_of(METHODS[key], context) for _ in range(2)]
    changing = {"at", "seconds"}
    shown = [[event.model_dump(exclude=changing) for event in run] for run in runs]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("key", METHODS)
async def test_an_unknown_option_is_named(key: str, stub: RunningStub) -> None:
    async with context_for(stub.url, config={"colour": "blue"}) as context:
        with pytest.raises(MethodError, match="colour") as caught:
            await events_of(METHODS[key], context)
    assert caught.value.code == "invalid_config"


@pytest.mark.parametrize("key", ["direct", "chain_of_thought", "self_consistency"])
async def test_an_endpoint_that_fails_fails_the_run_with_its_cause(
    key: str, stub: RunningStub
) -> None:
    async with context_for(stub.url, model="fault-401") as context:
        with pytest.raises(MethodError) as caught:
            await events_of(METHODS[key], context)
    assert caught.value.remedy
    assert caught.value.code != "invalid_config"


class TestSelfConsistency:
    async def test_k_agents_sample_with_seeds_of_their_own(self, stub: RunningStub) -> None:
        stub.clear()
        async with context_for(stub.url, config={"k": 4, "temperature": 0.9}) as context:
            events = await events_of(METHODS["self_consistency"], context)
        assert kinds(events)[0] == "graph_planned"
        assert kinds(events)[-1] == "intermediate_answer"
        assert kinds(events).count("agent_started") == kinds(events).count("agent_finished") == 4
        requests = stub.log()["requests"]
        assert {request["temperature"] for request in requests} == {0.9}
        assert len({request["seed"] for request in requests}) == 4
        assert only(events, "intermediate_answer")[-1].answer == "102"

    def test_the_majority_wins_and_its_first_member_represents_it(self) -> None:
        def sample(agent_id: str, answer: str | None) -> AgentOutcome:
            return AgentOutcome(agent_id, "Voter", message="steps", answer=answer)

        samples = [
            sample("a1", "7"),
            sample("a2", "1,000"),
            sample("a3", None),
            sample("a4", "1000.0"),
        ]
        elected = majority(samples)
        assert (elected.answer, elected.agent_id) == ("1,000", "a2")

    async def test_a_sample_that_fails_abstains(self) -> None:
        rule = Rule(VOTER.prompt, reply="Answer: 7")
        with running_stub(rules=(rule,), faults={"stub": Fault("empty", times=1)}) as stub:
            async with context_for(stub.url, config={"k": 3}) as context:
                events = await events_of(METHODS["self_consistency"], context)
        [failed] = only(events, "agent_failed")
        answer = only(events, "intermediate_answer")[-1]
        assert answer.answer == "7"
        assert answer.agent_id != failed.agent_id

    async def test_refusals_abstain(self) -> None:
        with running_stub(rules=(Rule(VOTER.prompt, reply="REFUSE: not mine"),)) as stub:
            async with context_for(stub.url, config={"k": 2}) as context:
                events = await events_of(METHODS["self_consistency"], context)
        answer = only(events, "intermediate_answer")[-1]
        assert (answer.answer, answer.agent_id) == (None, "a1")

    @pytest.mark.parametrize("config", [{"k": 0}, {"k": 33}, {"temperature": 0}, {"k": "many"}])
    async def test_options_out_of_bounds(
        self, config: dict[str, object], stub: RunningStub
    ) -> None:
        async with context_for(stub.url, config=config) as context:
            with pytest.raises(MethodError, match=next(iter(config))):
                await events_of(METHODS["self_consistency"], context)


def test_seeds_of_samples_do_not_overlap_between_runs() -> None:
    seeds = {sample_seed(run, index) for run in range(50) for index in range(32)}
    assert len(seeds) == 50 * 32
    assert all(0 <= seed < 2**31 for seed in seeds)

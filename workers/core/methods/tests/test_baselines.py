"""Direct, chain of thought, self-consistency and multi-persona against the stub LLM over HTTP."""

import pytest

from workers.core.errors import MethodError
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.multi_persona import MultiPersonaConfig, persona_role
from workers.core.methods.registry import METHODS
from workers.core.methods.seeds import sample_seed
from workers.core.methods.self_consistency import ROLE as VOTER
from workers.core.methods.tests.support import QUERY, HashEmbedder, kinds, only, ran, ran_by
from workers.core.methods.voting import majority
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Rule

VOTE = METHODS["self_consistency"]
ALONE = ["graph_planned", "agent_started", "agent_finished", "intermediate_answer"]


@pytest.mark.parametrize("key", ["direct", "chain_of_thought"])
async def test_one_agent_answers(key: str, stub: RunningStub) -> None:
    stub.clear()
    events = await ran(METHODS[key], stub.url)
    assert kinds(events) == ALONE
    answer = only(events, "intermediate_answer")[-1]
    assert (answer.answer, answer.agent_id, answer.step) == ("102", "a1", 1)
    [planned] = only(events, "graph_planned")
    assert [node.id for node in planned.graph.nodes] == ["a1"]
    [request] = stub.log()["requests"]
    assert QUERY in request["messages"][-1]["content"]
    assert request["temperature"] == 0


@pytest.mark.parametrize("key", METHODS)
async def test_an_unknown_option_is_named(key: str, stub: RunningStub) -> None:
    with pytest.raises(MethodError, match="colour") as caught:
        await ran(METHODS[key], stub.url, config={"colour": "blue"})
    assert caught.value.code == "invalid_config"


@pytest.mark.parametrize("key", [key for key, method in METHODS.items() if method.needs_pool])
async def test_a_pool_without_roles_is_named(key: str, stub: RunningStub) -> None:
    with pytest.raises(MethodError) as caught:
        await ran(METHODS[key], stub.url, embedder=HashEmbedder())
    assert caught.value.code == "empty_pool"
    assert caught.value.remedy


class TestSelfConsistency:
    async def test_k_agents_sample_with_seeds_of_their_own(self, stub: RunningStub) -> None:
        stub.clear()
        events = await ran(VOTE, stub.url, config={"k": 4, "temperature": 0.9})
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
            events = await ran(VOTE, stub.url, config={"k": 3})
        [failed] = only(events, "agent_failed")
        answer = only(events, "intermediate_answer")[-1]
        assert answer.answer == "7"
        assert answer.agent_id != failed.agent_id

    async def test_refusals_abstain(self) -> None:
        refuses = Rule(VOTER.prompt, reply="REFUSE: not mine")
        events, _ = await ran_by(VOTE, [refuses], config={"k": 2})
        answer = only(events, "intermediate_answer")[-1]
        assert (answer.answer, answer.agent_id) == (None, "a1")


def test_seeds_of_samples_do_not_overlap_between_runs() -> None:
    seeds = {sample_seed(run, index) for run in range(50) for index in range(32)}
    assert len(seeds) == 50 * 32
    assert all(0 <= seed < 2**31 for seed in seeds)


@pytest.mark.parametrize("parameters", [None, 135_000_000])
async def test_one_call_plays_the_experts(parameters: int | None, stub: RunningStub) -> None:
    stub.clear()
    config = {"personas": 5, "rounds": 3}
    events = await ran(METHODS["multi_persona"], stub.url, parameters=parameters, config=config)
    assert kinds(events) == ALONE
    assert only(events, "intermediate_answer")[0].agent_id == "a1"
    [request] = stub.log()["requests"]
    text = "\n".join(message["content"] for message in request["messages"])
    assert "Play 5 experts" in text
    assert ("at most 3 times" in text) is (parameters is None)
    assert request["temperature"] == 0


def test_one_round_reads_as_a_sentence() -> None:
    assert "speaks once:" in persona_role(MultiPersonaConfig(rounds=1)).prompt

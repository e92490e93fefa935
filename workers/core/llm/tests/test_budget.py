"""A run keeps its limits, however its calls interleave."""

import asyncio
from collections.abc import Awaitable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.llm import flight
from workers.core.llm.budget import BudgetedClient, BudgetLedger, estimate_prompt, estimate_tokens
from workers.core.llm.cache import CachingClient
from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.llm.tests.helpers import ask, endpoint_at, eventually, failing, faulty
from workers.core.llm.types import BudgetExceeded, ChatRequest, ChatResult, LLMError, OnDelta
from workers.core.llm.wire import cost
from workers.core.specs import Budget, EndpointSpec, Usage
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Rule

FRANCE = "What is the capital of France?"
PARIS_TOKENS = 14


def budgeted(
    client: OpenAIClient | CachingClient, **limits: float
) -> tuple[BudgetedClient, BudgetLedger]:
    ledger = BudgetLedger(Budget.model_validate(limits))
    return BudgetedClient(client, ledger), ledger


async def exceeding(call: Awaitable[ChatResult]) -> BudgetExceeded:
    with pytest.raises(BudgetExceeded) as caught:
        await call
    return caught.value


async def limit_of(call: Awaitable[ChatResult]) -> str:
    return (await exceeding(call)).limit


async def test_what_is_used_is_counted(client: OpenAIClient, stub: RunningStub) -> None:
    bound, ledger = budgeted(client)
    endpoint = endpoint_at(stub.url, prompt_price=1.0, completion_price=2.0)
    for _ in range(2):
        await bound.chat(endpoint, ask(FRANCE))
    assert ledger.tokens == 2 * PARIS_TOKENS
    assert ledger.cost == pytest.approx(2 * (7 * 1 + 7 * 2) / 1e6)
    assert not ledger.estimated


async def test_max_tokens_is_lowered_to_the_limit_of_a_call_which_the_reply_names(
    client: OpenAIClient, stub: RunningStub
) -> None:
    stub.clear()
    bound, _ = budgeted(client, max_completion_tokens_per_call=20)
    for asked, limit in ((500, 20), (20, None), (5, None)):
        reply = await bound.chat(endpoint_at(stub.url), ask("hi", max_tokens=asked))
        assert reply.limit == limit
    assert [body["max_tokens"] for body in stub.log()["requests"]] == [20, 20, 5]


async def test_max_tokens_is_lowered_to_what_is_left(
    client: OpenAIClient, stub: RunningStub
) -> None:
    stub.clear()
    bound, _ = budgeted(client, max_tokens=59)
    first = await bound.chat(endpoint_at(stub.url), ask(FRANCE))
    prompt = estimate_prompt(ask(FRANCE))
    assert stub.log()["requests"][0]["max_tokens"] == first.limit == 59 - prompt
    await bound.chat(endpoint_at(stub.url), ask(FRANCE))
    assert stub.log()["requests"][1]["max_tokens"] == 59 - PARIS_TOKENS - prompt
    assert await limit_of(bound.chat(endpoint_at(stub.url), ask(FRANCE))) == "tokens"


async def test_the_cost_limit(client: OpenAIClient, stub: RunningStub) -> None:
    stub.clear()
    # $1 a completion token: what is left pays for 30 of them
    endpoint = endpoint_at(stub.url, prompt_price=0.0, completion_price=1e6)
    bound, ledger = budgeted(client, max_cost=30.0)
    await bound.chat(endpoint, ask(FRANCE))
    assert stub.log()["requests"][0]["max_tokens"] == 30
    assert ledger.cost == 7.0
    await bound.chat(endpoint, ask(FRANCE))
    assert stub.log()["requests"][1]["max_tokens"] == 23
    assert ledger.cost == 14.0
    assert (await bound.chat(endpoint, ask(FRANCE))).text
    assert await limit_of(bound.chat(endpoint, ask(FRANCE))) == "cost"


async def test_a_cost_limit_without_prices_is_refused(
    client: OpenAIClient, stub: RunningStub
) -> None:
    bound, _ = budgeted(client, max_cost=1.0)
    refused = await failing(bound.chat(endpoint_at(stub.url, prompt_price=1.0), ask("hi")))
    assert (refused.code, refused.permanent) == ("price_unknown", True)


async def test_the_deadline_ends_a_call_and_its_connection(
    client: OpenAIClient, stub: RunningStub
) -> None:
    stub.clear()
    bound, ledger = budgeted(client, max_seconds=0.2)
    assert await limit_of(bound.chat(faulty(stub, "hang"), ask("hi"))) == "seconds"
    await eventually(lambda: stub.log()["dropped"] == 1)
    assert ledger.seconds_left() <= 0
    assert await limit_of(bound.chat(endpoint_at(stub.url), ask("hi"))) == "seconds"
    assert stub.log()["total"] == 1


async def test_a_timeout_of_the_server_is_not_the_deadline(
    client: OpenAIClient, stub: RunningStub
) -> None:
    bound, _ = budgeted(client)
    late = await failing(bound.chat(faulty(stub, "hang", timeout_seconds=0.1), ask("hi")))
    assert late.code == "timeout"


async def test_unknown_usage_is_estimated_for_the_budget_only(client: OpenAIClient) -> None:
    with running_stub(usage=False) as stub:
        bound, ledger = budgeted(client)
        request = ask("x" * 400)
        result = await bound.chat(endpoint_at(stub.url), request)
    assert result.usage == Usage()
    assert ledger.tokens == estimate_prompt(request) + estimate_tokens(result.text)
    assert ledger.estimated


async def test_kept_answers_count_tokens_and_no_cost(
    client: OpenAIClient, stub: RunningStub
) -> None:
    bound, ledger = budgeted(CachingClient(client))
    endpoint = endpoint_at(stub.url, prompt_price=1.0, completion_price=1.0)
    await bound.chat(endpoint, ask(FRANCE))
    paid = ledger.cost
    assert (await bound.chat(endpoint, ask(FRANCE))).cached
    assert (ledger.tokens, ledger.cost) == (2 * PARIS_TOKENS, paid)


async def test_what_a_failed_call_is_charged(client: OpenAIClient, stub: RunningStub) -> None:
    bound, ledger = budgeted(client)
    for kind in ("401", "500", "html"):
        await failing(bound.chat(faulty(stub, kind), ask("hi")))
    assert ledger.tokens == 0
    request = ask("hi", max_tokens=50)
    broken = await failing(bound.chat(faulty(stub, "half-stream"), request, lambda _: None))
    assert broken.code == "stream_interrupted"
    assert len(broken.failed_tries) > 0
    assert ledger.tokens == (len(broken.failed_tries) + 1) * (estimate_prompt(request) + 50)


async def test_a_try_that_broke_is_charged_beside_the_one_that_was_answered() -> None:
    rules = (Rule("lost", fault=Fault("hang", times=1)),)
    async with OpenAIClient(retry=RetryPolicy(tries=2, base_seconds=0.01)) as client:
        with running_stub(rules=rules) as stub:
            bound, ledger = budgeted(client)
            request = ask("was lost", max_tokens=50)
            used = (await bound.chat(endpoint_at(stub.url, timeout_seconds=0.3), request)).usage
    answered = (used.prompt_tokens or 0) + (used.completion_tokens or 0)
    assert ledger.tokens == answered + estimate_prompt(request) + 50


async def test_a_call_that_does_not_fit_waits_for_the_ones_under_way(
    client: OpenAIClient, stub: RunningStub
) -> None:
    """Both would be cut short if they shared what is left; one after the other neither is."""
    stub.clear()
    bound, _ = budgeted(client, max_tokens=300, max_completion_tokens_per_call=200)
    calls = [bound.chat(endpoint_at(stub.url), ask(f"think slowly {n}")) for n in range(2)]
    results = await asyncio.gather(*calls)
    assert [result.finish_reason for result in results] == ["stop", "stop"]
    assert (stub.log()["peak"], stub.log()["total"]) == (1, 2)
    assert [body["max_tokens"] for body in stub.log()["requests"]] == [200, 200]


async def test_a_cancelled_waiter_does_not_block_the_next(
    client: OpenAIClient, stub: RunningStub
) -> None:
    bound, _ = budgeted(client, max_tokens=300, max_completion_tokens_per_call=200)
    tasks = [
        asyncio.create_task(bound.chat(endpoint_at(stub.url), ask(f"think slowly {n}")))
        for n in range(3)
    ]
    await asyncio.sleep(0.05)
    tasks[1].cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(results[1], asyncio.CancelledError)
    assert isinstance(results[0], ChatResult)
    assert isinstance(results[2], ChatResult)


class Interleaved:
    """A server whose n-th call takes `pauses[n]` turns of the loop and `shares[n]` of its limit."""

    def __init__(self, ledger: BudgetLedger, pauses: list[int], shares: list[float]) -> None:
        self.ledger, self.pauses, self.shares = ledger, pauses, shares
        self.calls = 0

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        number = self.calls
        self.calls += 1
        for _ in range(self.pauses[number % len(self.pauses)]):
            assert self.ledger.tokens <= self.ledger.budget.max_tokens
            await asyncio.sleep(0)
        share = self.shares[number % len(self.shares)]
        if share > 0.9:
            raise LLMError(code="server_error", message="", permanent=False)
        prompt, completion = estimate_prompt(request), int(request.max_tokens * share / 0.9)
        usage = Usage(
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost=cost(endpoint, prompt, completion),
        )
        return ChatResult("", "stop", usage, 0.0)


@settings(max_examples=60, deadline=None)
@given(
    calls=st.lists(st.tuples(st.integers(0, 200), st.integers(1, 300)), min_size=1, max_size=12),
    pauses=st.lists(st.integers(0, 6), min_size=1, max_size=12),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=12),
    max_tokens=st.integers(1, 1_000),
    max_cost=st.none() | st.floats(0, 500),
    cancelled=st.sets(st.integers(0, 11)),
)
def test_no_interleaving_overshoots(
    *,
    calls: list[tuple[int, int]],
    pauses: list[int],
    shares: list[float],
    max_tokens: int,
    max_cost: float | None,
    cancelled: set[int],
) -> None:
    async def play() -> None:
        ledger = BudgetLedger(Budget(max_tokens=max_tokens, max_cost=max_cost))
        server = Interleaved(ledger, pauses, shares)
        endpoint = endpoint_at("http://h/v1", prompt_price=2e5, completion_price=1e6)
        bound = BudgetedClient(server, ledger)
        tasks = [
            asyncio.create_task(bound.chat(endpoint, ask("x" * chars, max_tokens=tokens)))
            for chars, tokens in calls
        ]
        await asyncio.sleep(0)
        for number in cancelled & set(range(len(tasks))):
            tasks[number].cancel()
        results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)
        assert ledger.tokens <= max_tokens
        assert max_cost is None or ledger.cost <= max_cost * (1 + 1e-9) + 1e-9
        kinds = (ChatResult, BudgetExceeded, LLMError, asyncio.CancelledError)
        assert all(isinstance(result, kinds) for result in results)
        assert ledger._open == set(), "every reservation is settled"

    asyncio.run(play())


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("a" * 8, 2), ("日本", 2)])
def test_the_estimate(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


async def ended(call: Awaitable[ChatResult]) -> str:
    return (await exceeding(call)).message


async def test_seconds_that_are_over_name_the_silence(
    client: OpenAIClient, stub: RunningStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flight, "SPEAKING_SECONDS", 0.1)
    bound, ledger = budgeted(client, max_seconds=0.6)
    call = asyncio.create_task(ended(bound.chat(faulty(stub, "hang"), ask("hi"))))
    await asyncio.sleep(0.55)
    assert "The server had been silent for 1 s." in ledger.exceeded("seconds").message
    assert "The server had been silent for 1 s. Raise this limit" in await call


async def test_seconds_that_are_over_name_what_the_server_asked(
    client: OpenAIClient, stub: RunningStub
) -> None:
    limited = Rule("hi", fault=Fault("429", retry_after=30))
    with running_stub(rules=(limited,)) as busy:
        bound, _ = budgeted(client, max_seconds=0.5)
        said = await ended(bound.chat(endpoint_at(busy.url), ask("hi")))
    assert "The next try was waiting 30 s" in said
    assert "The server asks to wait 30 s." in said


async def test_seconds_that_are_over_name_the_turn(client: OpenAIClient, stub: RunningStub) -> None:
    endpoint = faulty(stub, "hang", max_concurrency=1)
    first = asyncio.create_task(client.chat(endpoint, ask("hi")))
    await asyncio.sleep(0.1)
    bound, _ = budgeted(client, max_seconds=0.3)
    assert "was still waiting for its turn" in await ended(bound.chat(endpoint, ask("hi")))
    first.cancel()


async def test_seconds_that_are_over_while_it_speaks_name_nothing_else(
    client: OpenAIClient,
) -> None:
    with running_stub(chunk_latency=0.05) as slow:
        bound, _ = budgeted(client, max_seconds=0.4)
        said = await ended(bound.chat(endpoint_at(slow.url), ask("x" * 99), lambda _: None))
    assert said == (
        "The run may use 0.4 seconds, and they have passed. Raise this limit in the run's budget."
    )

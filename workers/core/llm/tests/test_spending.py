"""A job's limit holds whatever the endpoint reports, over all attempts."""

import asyncio
from collections.abc import Callable

import pytest

from workers.core.llm import flight
from workers.core.llm.budget import estimate_prompt
from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.llm.spending import JOB, Spending, Spent
from workers.core.llm.tests.helpers import ask, endpoint_at, eventually
from workers.core.llm.types import BudgetExceeded, ChatRequest, ChatResult, LLMError, OnDelta
from workers.core.specs import EndpointSpec, TrainingBudget, Usage
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Rule

ENDPOINT = endpoint_at("http://127.0.0.1:9/v1", prompt_price=1.0, completion_price=3.0)
QUESTION = ask("x" * 32, max_tokens=50)
PROMPT = estimate_prompt(QUESTION)
UNKNOWN = Usage()


class Answering:
    """Answers as `reply` says, or raises it, once it was `sent`."""

    def __init__(self, reply: Usage | BaseException, *, sent: bool = True) -> None:
        self.reply = reply
        self.sent = sent

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        if self.sent:
            await flight.leaves()
        if isinstance(self.reply, LLMError):
            flight.breaks(self.reply.code)
        if isinstance(self.reply, BaseException):
            raise self.reply
        return ChatResult("y" * 40, "stop", self.reply, 0.0)


def failing(code: str) -> LLMError:
    return LLMError(code=code, message="m", permanent=False)


async def spent_by(
    reply: Usage | BaseException,
    endpoint: EndpointSpec = ENDPOINT,
    spent: Spent | None = None,
) -> Spent:
    client = Spending(Answering(reply), spent or Spent.zero())
    if isinstance(reply, BaseException):
        with pytest.raises(type(reply)):
            await client.chat(endpoint, QUESTION)
    else:
        await client.chat(endpoint, QUESTION)
    return client.spent


async def test_what_is_reported_counts_as_reported() -> None:
    reported = Usage(prompt_tokens=7, completion_tokens=5, cost=22e-6)
    spent = await spent_by(reported)
    assert (spent.usage, spent.tokens) == (reported, 12)
    assert spent.cost == pytest.approx(22e-6)


async def test_what_is_not_is_estimated_for_the_limit_and_unknown_for_people() -> None:
    before = Spent(Usage(prompt_tokens=1, completion_tokens=1, cost=1.0), 100, 1.0)
    spent = await spent_by(UNKNOWN, spent=before)
    assert spent.usage == UNKNOWN
    assert spent.tokens == 100 + PROMPT + 10
    assert spent.cost == pytest.approx(1.0 + PROMPT * 1e-6 + 10 * 3e-6)


@pytest.mark.parametrize(
    "error",
    [failing("timeout"), failing("stream_interrupted"), asyncio.CancelledError()],
    ids=["timeout", "broken", "cancelled"],
)
async def test_what_may_have_been_generated_counts_in_full(error: BaseException) -> None:
    spent = await spent_by(error)
    assert spent.tokens == PROMPT + 50
    assert spent.cost == pytest.approx(PROMPT * 1e-6 + 50 * 3e-6)
    assert spent.usage == Usage.zero()


@pytest.mark.parametrize("error", [failing("rate_limited"), asyncio.CancelledError()])
async def test_what_was_refused_or_waited_for_its_turn_costs_nothing(error: BaseException) -> None:
    spending = Spending(Answering(error, sent=False), Spent.zero())
    with pytest.raises(type(error)):
        await spending.chat(ENDPOINT, QUESTION)
    assert (spending.spent, spending.most()) == (Spent.zero(), (0, 0.0))


async def test_of_cancelled_calls_those_count_that_the_server_had(stub: RunningStub) -> None:
    """One has the endpoint's only slot, the other waits for it; a third is refused and waits to be
    tried again."""
    stub.clear()
    slow = endpoint_at(stub.url, model="fault-hang", max_concurrency=1, prompt_price=1.0)
    refused = endpoint_at("http://127.0.0.1:9/v1", prompt_price=1.0)
    async with OpenAIClient(retry=RetryPolicy(tries=9, base_seconds=30)) as client:
        spending = Spending(client, Spent.zero())
        calls = [asyncio.create_task(spending.chat(slow, QUESTION)) for _ in range(2)]
        calls.append(asyncio.create_task(spending.chat(refused, QUESTION)))
        await eventually(lambda: len(stub.log()["requests"]) == 1)
        await asyncio.sleep(0.2)  # for a second request that must not come, and a first refusal
        assert len(stub.log()["requests"]) == 1
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
    assert spending.spent.tokens == PROMPT + 50


async def test_each_try_counts_that_may_have_been_answered(client: OpenAIClient) -> None:
    """Also where a later one is answered, and where the last one is refused."""
    tried = OpenAIClient(retry=RetryPolicy(tries=3, base_seconds=0.01))
    lost, refused = Fault("hang", times=1), Fault("500", times=1)
    rules = (Rule("lost", fault=lost), Rule("refused", fault=refused))
    with running_stub(rules=rules) as stub:
        endpoint = endpoint_at(stub.url, timeout_seconds=0.3)
        async with tried:
            for text, broken in (("was refused", 0), ("was lost", 1)):
                spending, question = Spending(tried, Spent.zero()), ask(text, max_tokens=50)
                result = await spending.chat(endpoint, question)
                reported = (result.usage.prompt_tokens or 0) + (result.usage.completion_tokens or 0)
                most = estimate_prompt(question) + 50
                assert (len(result.failed_tries), spending.spent.usage) == (1, result.usage)
                assert spending.spent.tokens == reported + broken * most


async def test_a_spent_budget_stops_calls_that_wait_for_their_turn(client: OpenAIClient) -> None:
    with running_stub(latency=0.05) as stub:
        endpoint = endpoint_at(stub.url, max_concurrency=1)
        used = (await client.chat(endpoint, QUESTION)).usage
        one = (used.prompt_tokens or 0) + (used.completion_tokens or 0)
        stub.clear()
        spending = Spending(client, Spent.zero(), TrainingBudget(max_tokens=2 * one))
        calls = [spending.chat(endpoint, QUESTION) for _ in range(10)]
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(end) for end in ended] == [ChatResult] * 2 + [BudgetExceeded] * 8
        assert stub.log()["total"] == 2


class Promised:
    """What is stored before each try leaves; it takes until `stores` is set."""

    def __init__(self) -> None:
        self.stores = asyncio.Event()
        self.kept: list[tuple[int, float]] = []

    async def __call__(self, most: Callable[[], tuple[int, float]]) -> None:
        await self.stores.wait()
        self.kept.append(most())


async def test_no_try_leaves_before_it_is_stored_what_all_under_way_may_take() -> None:
    """So a process that is killed at any moment has promised at least what the server counts."""
    promised, before = Promised(), Spent(Usage.zero(), 7, 0.5)
    with running_stub(latency=0.3) as stub:
        endpoint = endpoint_at(stub.url, prompt_price=1.0, completion_price=3.0)
        async with OpenAIClient() as client:
            spending = Spending(client, before, promise=promised)
            calls = [asyncio.create_task(spending.chat(endpoint, QUESTION)) for _ in range(3)]
            await asyncio.sleep(0.1)
            assert stub.log()["total"] == 0
            promised.stores.set()
            await eventually(lambda: stub.log()["total"] == 3)
            tokens, cost = promised.kept[-1]
            assert tokens == 7 + 3 * (PROMPT + 50)
            assert cost == pytest.approx(0.5 + 3 * (PROMPT * 1e-6 + 50 * 3e-6))
            await asyncio.gather(*calls)
    assert spending.most() == (spending.spent.tokens, spending.spent.cost)
    assert spending.spent.tokens < 7 + 3 * (PROMPT + 50)


async def test_a_try_that_broke_stays_promised_while_the_next_is_under_way() -> None:
    promised, lost = Promised(), Fault("hang", times=1)
    promised.stores.set()
    with running_stub(rules=(Rule("was lost", fault=lost),)) as stub:
        endpoint = endpoint_at(stub.url, timeout_seconds=0.3)
        async with OpenAIClient(retry=RetryPolicy(tries=2, base_seconds=0.01)) as client:
            await Spending(client, Spent.zero(), promise=promised).chat(
                endpoint, ask("was lost", max_tokens=50)
            )
    one = estimate_prompt(ask("was lost")) + 50
    assert [tokens for tokens, _ in promised.kept] == [one, 2 * one]


async def test_a_promise_that_fails_keeps_the_call_here() -> None:
    """The job is another worker's by now."""

    async def fenced(_: object) -> None:
        raise RuntimeError("fenced")

    answering = Answering(UNKNOWN)
    spending = Spending(answering, Spent.zero(), promise=fenced)
    with pytest.raises(RuntimeError):
        await spending.chat(ENDPOINT, QUESTION)
    assert (spending.most(), spending.spent) == ((0, 0.0), Spent.zero())


async def test_without_prices_tokens_count_alone() -> None:
    spent = await spent_by(UNKNOWN, endpoint_at("http://127.0.0.1:9/v1"))
    assert (spent.tokens, spent.cost) == (PROMPT + 10, 0.0)


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (lambda spent: TrainingBudget(max_tokens=spent.tokens), "tokens are used"),
        (lambda spent: TrainingBudget(max_cost=spent.cost), "is used"),
    ],
    ids=["tokens", "cost"],
)
@pytest.mark.parametrize(
    "reply", [UNKNOWN, Usage(prompt_tokens=7, completion_tokens=5, cost=22e-6)]
)
async def test_a_limit_holds_over_attempts(
    reply: Usage, budget: Callable[[Spent], TrainingBudget], said: str
) -> None:
    once = await spent_by(reply)
    limit = budget(once.plus(reply, once.tokens, once.cost))
    first = Spending(Answering(reply), Spent.zero(), limit)
    await first.chat(ENDPOINT, QUESTION)
    second = Spending(Answering(reply), first.spent, limit)
    await second.chat(ENDPOINT, QUESTION)
    with pytest.raises(BudgetExceeded, match=said) as caught:
        await second.chat(ENDPOINT, QUESTION)
    assert caught.value.limit == JOB

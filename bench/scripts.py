"""Measures what a script costs on top of its agents' calls.

    bin/studio bench scripts [--scripts 1000] [--pause 0.1] [--beside 16]

Each script is another one. It is found in a reply, checked, drawn and played: it asks one agent, on
a stub server, and goes by what that said. Its cost is the whole time without that of the call. One
after another, each comes `--pause` seconds after the last one ended, as a designer's replies do.

- `warm`: in a sandbox that waits for it, as in a training or a worker. `ms_p50` and `ms_p95`.
- `cold`: in a sandbox that is started for it (a tenth as many).
- `data`: a team that needs no process, since no test of it is a function of the script.

Side by side `--beside` are wanted at once; then the cores are the limit.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from bench.common.report import percentile, report
from workers.core.llm.client import OpenAIClient
from workers.core.llm.types import ChatMessage, ChatRequest
from workers.core.scripts.blocks import Call, Message
from workers.core.scripts.meaning import meaning_of
from workers.core.scripts.reading import script_in
from workers.core.scripts.session import Session, played, warm_scripts
from workers.core.specs import EndpointSpec
from workers.core.testing.stub_process import running_stub

WARM = 4
QUESTION = "What is 6 times 7?"
BRANCHES = """\
Here is the team.

```python
from workflow import agent, deliver, ensemble

prompts = ["Solve it step by step.", "Solve it, then check it. This is team {number}."]
solvers = [agent(f"Solver {{n}}", prompt, temperature=0.5) for n, prompt in enumerate(prompts)]
said = solvers[1]()
if said.answer is None and "never" in said.text:
    said = ensemble(solvers)(said)
deliver(said)
```
"""
DATA = """\
```python
from workflow import agent, deliver, sequence

deliver(sequence(agent("Solver", "Solve it step by step. This is team {number}.")))
```
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds: to find, check and draw; from there to the first call; all without the call."""

    read: float
    started: float
    whole: float


@dataclass(slots=True)
class Bench:
    client: OpenAIClient
    endpoint: EndpointSpec

    async def cost(self, template: str, number: int) -> Cost:
        reply, began = template.format(number=number), time.perf_counter()
        meaning = meaning_of(script_in(reply)).required()
        read, first, calling = time.perf_counter(), 0.0, 0.0

        async def respond(_: int, call: Call) -> Message:
            nonlocal first, calling
            first = time.perf_counter()
            messages = (
                ChatMessage(role="system", content=call.agent.prompt),
                ChatMessage(role="user", content=QUESTION),
            )
            result = await self.client.chat(self.endpoint, ChatRequest(messages=messages))
            calling += time.perf_counter() - first
            return Message(call.agent.name, result.text, "42")

        if (meaning.team is None) != (template is BRANCHES):
            raise SystemExit("The script is not played as it should be.")
        result = await played(Session(meaning, QUESTION), respond)
        whole = time.perf_counter() - began - calling
        if result.message is None or result.calls != 1:
            raise SystemExit(f"A script did not deliver: {result.problem}")
        return Cost(read - began, first - read, whole)

    async def one_by_one(self, template: str, scripts: int, pause: float) -> list[Cost]:
        await self.cost(template, 0)
        costs = []
        for number in range(scripts):
            await asyncio.sleep(pause)
            costs.append(await self.cost(template, number))
        return costs

    async def beside(self, template: str, scripts: int, beside: int) -> float:
        """Scripts a second."""
        places, began = asyncio.Semaphore(beside), time.perf_counter()

        async def one(number: int) -> None:
            async with places:
                await self.cost(template, number)

        await asyncio.gather(*map(one, range(scripts)))
        return scripts / (time.perf_counter() - began)


def row(name: str, costs: Sequence[Cost], speed: float) -> list[str]:
    read, started, whole = (
        [1_000 * getattr(cost, part) for cost in costs] for part in ("read", "started", "whole")
    )
    times = (percentile(read, 0.5), percentile(started, 0.5))
    both = (percentile(whole, 0.5), percentile(whole, 0.95))
    return [name, f"{len(costs):,}", *(f"{each:.1f}" for each in (*times, *both)), f"{speed:.1f}"]


async def measured(scripts: int, pause: float, beside: int) -> None:
    ways: dict[str, tuple[str, int, AbstractAsyncContextManager[None]]] = {
        "warm": (BRANCHES, scripts, warm_scripts(WARM)),
        "cold": (BRANCHES, max(1, scripts // 10), nullcontext()),
        "data": (DATA, scripts, nullcontext()),
    }
    rows: list[list[str]] = []
    values: dict[str, float] = {}
    with running_stub() as stub:
        async with OpenAIClient() as client:
            endpoint = EndpointSpec(
                key="stub",
                base_url=stub.url,
                model="stub",
                allow_private_address=True,
                max_concurrency=64,
            )
            bench = Bench(client, endpoint)
            for name, (template, count, way) in ways.items():
                async with way:
                    costs = await bench.one_by_one(template, count, pause)
                    speed = await bench.beside(template, max(beside, count // 4), beside)
                rows.append(row(name, costs, speed))
                whole = [1_000 * cost.whole for cost in costs]
                before = "" if name == "warm" else f"{name}_"
                values[f"{before}ms_p50"] = percentile(whole, 0.5)
                values[f"{before}ms_p95"] = percentile(whole, 0.95)
                values[f"{name}_per_second"] = speed
    columns = (
        *("scripts", "count", "read, ms", "to the first call, ms", "all, ms", "95%"),
        "side by side, a second",
    )
    report("scripts", columns, rows, **values)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--scripts", type=int, default=1_000)
    parser.add_argument("--pause", type=float, default=0.1)
    parser.add_argument("--beside", type=int, default=16)
    options = parser.parse_args()
    asyncio.run(measured(options.scripts, options.pause, options.beside))


if __name__ == "__main__":
    main()

"""Measures how busy a training keeps its endpoint, and its cost beyond the endpoint's own time.

    bin/studio bench training [--steps 3] [--queries 8] [--systems 48] [--latency 0.5]
                              [--concurrency 8]

It trains MasHost with the built-in pool and the preset `studio`, with the preset's step sizes
unless options change them. The tasks are sums that a stub endpoint in its own process answers after
`latency` seconds. `utilisation` is the share of the training's wall time in which the endpoint had
as many requests in flight as it takes. It includes both ends, when the first teams start and the
last ones finish. The same training without lag (`lag: 0`) is beside it: there each step waits for
the last team of the step before.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import torch

from bench.common.report import report
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import TrainingMetric
from workers.core.llm.client import OpenAIClient
from workers.core.llm.meter import Meter
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.pools import load_builtin_pool
from workers.core.specs import EndpointSpec, TaskSpec
from workers.core.testing.stub_process import running_stub
from workers.core.training.context import TrainingContext

SIZES = MasHostTrainingConfig.model_validate(MasHost.presets["studio"])


@dataclass(frozen=True, slots=True)
class Measured:
    """`seconds` are wall time. `utilisation` is of the whole training, `by_step` of its metrics."""

    seconds: float
    utilisation: float
    by_step: float
    requests: int
    cpu_seconds: float


def main() -> None:
    options = _options()
    torch.set_num_threads(1)
    embedder = MiniLMEmbedder()
    with running_stub(latency=options.latency, log_limit=0) as stub:
        endpoint = EndpointSpec(
            key="stub",
            base_url=stub.url,
            model="stub",
            max_concurrency=options.concurrency,
            allow_private_address=True,
        )
        measured = {
            lag: asyncio.run(_train(endpoint, embedder, lag=lag, options=options)) for lag in (1, 0)
        }
    _report(measured, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bin/studio bench training")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--queries", type=int, default=SIZES.queries_per_step, help="of a step")
    parser.add_argument("--systems", type=int, default=SIZES.systems_per_query, help="of a query")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds of one answer")
    parser.add_argument("--concurrency", type=int, default=8, help="requests the endpoint takes")
    return parser.parse_args()


async def _train(
    endpoint: EndpointSpec, embedder: MiniLMEmbedder, *, lag: int, options: argparse.Namespace
) -> Measured:
    """Every query is new, so no answer comes from the cache."""
    tasks = [
        TaskSpec(query=f"What is {n} + {3 * n}?", reference=str(4 * n), verifier="numeric")
        for n in range(options.steps * options.queries)
    ]
    config = MasHost.presets["studio"] | {
        "steps": options.steps,
        "queries_per_step": options.queries,
        "systems_per_query": options.systems,
        "checkpoint_every": options.steps,
        "lag": lag,
    }
    shares, meter = [], Meter(full=endpoint.max_concurrency)
    with tempfile.TemporaryDirectory() as folder:
        async with OpenAIClient() as client:
            context = TrainingContext(
                llm=meter.watching_requests(client),
                endpoint=endpoint,
                seed=0,
                folder=Path(folder),
                config=config,
                pool=load_builtin_pool("general"),
                embedder=embedder,
            )
            meter.restart()
            began, cpu = time.perf_counter(), time.process_time()
            async with aclosing(MasHost().train(tasks, context)) as events:
                async for event in events:
                    if isinstance(event, TrainingMetric):
                        shares.append(event.values["endpoint_utilisation"])
            lasted, used = time.perf_counter() - began, time.process_time() - cpu
            return Measured(
                lasted, meter.utilisation, statistics.median(shares), meter.requests, used
            )


def _report(measured: dict[int, Measured], options: argparse.Namespace) -> None:
    rows = [
        (
            f"lag {lag}",
            f"{m.utilisation:.1%}",
            f"{m.by_step:.1%}",
            f"{m.seconds:.1f}",
            f"{m.requests * options.latency / options.concurrency:.1f}",
            str(m.requests),
            f"{m.cpu_seconds:.1f}",
        )
        for lag, m in measured.items()
    ]
    report(
        "training",
        ("", "utilisation", "median step", "seconds", "at least", "requests", "CPU seconds"),
        rows,
        utilisation=measured[1].utilisation,
        utilisation_without_lag=measured[0].utilisation,
        cpu_ms_per_request=1_000 * measured[1].cpu_seconds / measured[1].requests,
    )


if __name__ == "__main__":
    main()

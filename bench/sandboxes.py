"""Measures what a sandbox costs: one after another and side by side, cold and warm.

    bin/studio bench sandboxes [--programs 200] [--pause 0.2]

Each program prints a number. `cold` starts a sandbox for it; `warm` takes one that waits (as
trainings of AT-GRPO do). One after another, each comes `--pause` seconds after the last one ended,
as a model's answers do, and the time is what a program waits for. Side by side all are wanted at
once, as a step's branches are; then the cores are the limit, and a warm sandbox saves little.
"""

import argparse
import asyncio
import statistics
import time
from contextlib import AbstractAsyncContextManager, nullcontext

from bench.common.report import percentile, report
from workers.core.tools.base import ToolLimits
from workers.core.tools.sandbox import PythonSandbox, warm_sandboxes


async def ran(number: int) -> float:
    """The seconds that a program took."""
    began = time.perf_counter()
    result = await PythonSandbox().run({"code": f"print({number})"}, ToolLimits())
    if result.output != str(number):
        raise SystemExit(f"A program did not run: {result.output}")
    return time.perf_counter() - began


async def one_by_one(programs: int, pause: float) -> list[float]:
    """Milliseconds of each."""
    await ran(0)
    took = []
    for number in range(programs):
        await asyncio.sleep(pause)
        took.append(1_000 * await ran(number))
    return took


async def at_once(programs: int) -> float:
    """Programs a second."""
    began = time.perf_counter()
    await asyncio.gather(*map(ran, range(programs)))
    return programs / (time.perf_counter() - began)


async def measured(programs: int, pause: float) -> None:
    ways: dict[str, AbstractAsyncContextManager[None]] = {
        "cold": nullcontext(),
        "warm": warm_sandboxes(),
    }
    rows: list[list[str]] = []
    values: dict[str, float] = {}
    for name, way in ways.items():
        async with way:
            took = await one_by_one(max(1, programs // 4), pause)
            speed = await at_once(programs)
        median, late = statistics.median(took), percentile(took, 0.95)
        values |= {f"{name}_ms": median, f"{name}_ms_p95": late, f"{name}_per_second": speed}
        rows.append([name, f"{median:.1f}", f"{late:.1f}", f"{speed:.1f}", f"{3600 * speed:,.0f}"])
    columns = ("sandboxes", "ms, median", "ms, 95%", "side by side, a second", "an hour")
    report("sandboxes", columns, rows, **values)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--pause", type=float, default=0.2)
    options = parser.parse_args()
    asyncio.run(measured(options.programs, options.pause))


if __name__ == "__main__":
    main()

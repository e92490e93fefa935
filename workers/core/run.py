"""Executes one run: its method under its budget, from run_started to exactly one terminal event, or
to `run_paused` if a person leads it.

    async for event in run_execute(spec, client=client, embedder=embedder, cancel=cancellation):
        sink.write(event)

- The method runs in its own task. A slow reader of events does not slow it down.
- `run_failed` names the cause and the remedy: a MethodError, an LLMError, a spent budget or
  deadline, or, if every agent failed, the first one's failure.
- `cancel.request(by)` stops LLM calls and tools at once and ends the stream with `run_cancelled`.
- When the driver's own task is cancelled, `run_cancelled` is yielded and then CancelledError is
  raised; after a bug `run_failed` (`internal_error`) is yielded and then the bug is raised. A
  driver that closes the generator gets no more events, so it can give a run back to the queue.
- The tools are opened with the method and closed when it has ended, before the terminal event.
- If the task has a verifier, the answer is judged after the method has ended, outside the deadline:
  `answer_verified` comes just before `run_finished`. An answer that can't be judged is neither
  wrong nor a failed run: there is no `answer_verified`, and the log says why.
- Under `spec.control` the method may stop before an agent. The attempt ends in `run_paused`, and a
  later one continues with its messages, its tokens and its time, but a new limit of seconds.
- `spec.spent`, used by attempts whose worker was lost, counts in the budget.
- `spec.earlier`, what a lost attempt had finished, comes first, as events of this attempt. Then
  `run_taken_up`, and the method continues from there. The usage and the seconds of the terminal
  event are those of this attempt, with what it took over.
- Nothing follows the terminal event, and no task outlives the stream.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from workers.core.benchmarks.base import Verifier
from workers.core.benchmarks.entry_points import entry_points
from workers.core.benchmarks.judge_run import answer_verified
from workers.core.benchmarks.registry import VERIFIERS
from workers.core.checkpoints import CheckpointError, read_info
from workers.core.embed.base import Embedder
from workers.core.errors import MethodError, internal_error
from workers.core.events import (
    Event,
    RunCancelled,
    RunFailed,
    RunFinished,
    RunPaused,
    RunStarted,
)
from workers.core.llm.budget import BudgetedClient, BudgetLedger
from workers.core.llm.types import BudgetExceeded, ChatClient, LLMError
from workers.core.mas.context import MethodContext
from workers.core.mas.control import Control, GraphHeld, control_of, kept_usage
from workers.core.mas.earlier import TakenOver, taken_over, tools_before
from workers.core.mas.failures import budget_exceeded
from workers.core.mas.pictures import pictures_read_by
from workers.core.mas.record import RunRecord
from workers.core.mas.streaming import Emit, TaskStream
from workers.core.methods.base import Method
from workers.core.methods.registry import METHODS
from workers.core.specs import RunSpec, TaskSpec
from workers.core.tools.attachments import with_files_named
from workers.core.tools.base import Tool
from workers.core.tools.pictures import Pictures
from workers.core.tools.toolbox import Toolbox, tools_of_run

log = logging.getLogger(__name__)

Terminal = RunFinished | RunFailed | RunCancelled | RunPaused


class Cancellation(asyncio.Event):
    """Asks one run to stop. Use it from the run's event loop."""

    by: str = ""

    def request(self, by: str = "") -> None:
        self.by = by
        self.set()


class _StopRequested(Exception):
    """`Cancellation.request` was called."""


async def run_execute(
    spec: RunSpec,
    *,
    client: ChatClient,
    embedder: Embedder | None = None,
    checkpoint_path: Path | None = None,
    methods: Mapping[str, Method] = METHODS,
    verifiers: Mapping[str, Verifier] = VERIFIERS,
    cancel: asyncio.Event | None = None,
    toolbox: Toolbox | None = None,
    pictures: Pictures | None = None,
) -> AsyncGenerator[Event]:
    """run_started · the method's events · [answer_verified] · run_finished | run_failed |
    run_cancelled | run_paused."""
    taken = _taken_over(spec)
    began = time.perf_counter() - _seconds_before(spec, taken)
    record = RunRecord(spec.pool)
    stream = TaskStream((*taken.events, *taken.told))
    ledger = BudgetLedger(spec.budget, before=spec.spent)
    timer = asyncio.get_running_loop().call_later(
        max(ledger.seconds_left(), 0.0), lambda: stream.stop(ledger.exceeded("seconds"))
    )
    watcher = asyncio.create_task(_watch(cancel, stream)) if cancel else None
    reraise: BaseException | None = None
    try:
        try:
            yield _started(spec, taken, methods.get(spec.method), checkpoint_path)
            llm, control = BudgetedClient(client, ledger), _control(spec)
            context = _context(spec, llm, embedder, checkpoint_path, control=control, taken=taken)
            ledger.charge(kept_usage(control))
            eyes = pictures_read_by(llm, (spec.endpoint, *spec.endpoints), context.budget)
            used = tools_before(taken.events, spec.spent)
            opened = tools_of_run(toolbox, spec.task, pictures, eyes, used)
            stream.spawn(_solve(_method(spec, methods), spec.task, context, stream.emit, opened))
            async for event in stream:
                record.take(event)
                yield event
            timer.cancel()
            end: Terminal = record.finished(began)
            if isinstance(end, RunFinished):
                stream.spawn(_judge(spec.task, end, verifiers, stream.emit))
            async for event in stream:
                record.take(event)
                yield event
        except (MethodError, LLMError) as error:
            end = record.failed(error.failure(), began)
        except GraphHeld as held:
            end = record.paused(held, began)
        except BudgetExceeded as error:
            end = record.failed(budget_exceeded(error), began)
        except _StopRequested:
            end = record.cancelled(getattr(cancel, "by", ""), began)
        except asyncio.CancelledError as error:
            end, reraise = record.cancelled("", began), error
        except Exception as error:  # a bug: the run still ends, then the bug is raised
            end, reraise = record.failed(internal_error(error), began), error
        await stream.close()
        # The last event came after the end was made.
        yield end.model_copy(update={"at": time.time()})
        if reraise is not None:
            raise reraise
    finally:
        timer.cancel()
        if watcher is not None:
            watcher.cancel()
        await stream.close()


async def _solve(
    method: Method,
    task: TaskSpec,
    context: MethodContext,
    emit: Emit,
    opened: AbstractAsyncContextManager[Mapping[str, Tool]],
) -> None:
    async with opened as tools:
        events = method.solve(with_files_named(task), replace(context, tools=tools))
        if not isinstance(events, AsyncGenerator):
            raise TypeError(f"{type(method).__name__}.solve must be an async generator")
        async with aclosing(events):
            async for event in events:
                emit(event)


async def _judge(
    task: TaskSpec, end: RunFinished, verifiers: Mapping[str, Verifier], emit: Emit
) -> None:
    event = await answer_verified(task, answer=end.answer, message=end.message, verifiers=verifiers)
    if event is not None:
        emit(event)


async def _watch(cancel: asyncio.Event, stream: TaskStream) -> None:
    await cancel.wait()
    stream.stop(_StopRequested())


def _control(spec: RunSpec) -> Control | None:
    """Raises MethodError for kept events that this version cannot read."""
    try:
        return control_of(spec.control) if spec.control else None
    except ValidationError as error:
        raise MethodError(
            code="unreadable_run",
            message="This run continues messages that another version of the studio wrote.",
            remedy="Ask the question again.",
        ) from error


def _context(
    spec: RunSpec,
    client: ChatClient,
    embedder: Embedder | None,
    checkpoint_path: Path | None,
    *,
    control: Control | None,
    taken: TakenOver,
) -> MethodContext:
    return MethodContext(
        llm=client,
        endpoint=spec.endpoint,
        seed=spec.seed,
        budget=spec.budget,
        pool=spec.pool,
        profiles=spec.profiles,
        embedder=embedder,
        checkpoint=checkpoint_path,
        stream=spec.stream,
        config=spec.method_config,
        endpoints={endpoint.key: endpoint for endpoint in spec.endpoints},
        answer_form=spec.task.answer_form,
        entry_points=entry_points(spec.task),
        control=control,
        earlier=taken.events,
        seconds_used=spec.spent.seconds,
    )


def _taken_over(spec: RunSpec) -> TakenOver:
    """If this version cannot read the earlier events, the run begins again."""
    if spec.earlier is None:
        return TakenOver()
    try:
        return taken_over(spec.earlier)
    except ValidationError as error:
        log.warning("attempt %d can't be continued: %s", spec.earlier.attempt, error)
        return TakenOver()


def _method(spec: RunSpec, methods: Mapping[str, Method]) -> Method:
    """Raises MethodError for an unknown method, or one whose pool is missing or empty."""
    method = methods.get(spec.method)
    if method is None:
        raise MethodError(
            code="unknown_method",
            message=f"There is no method “{spec.method}”.",
            remedy=f"Use one of: {', '.join(sorted(methods))}.",
        )
    if method.needs_pool and (spec.pool is None or not spec.pool.roles):
        raise MethodError(
            code="empty_pool",
            message=f"{method.name} chooses from a role pool, but this run has no roles.",
            remedy="Choose a pool with at least one enabled role.",
        )
    return method


def _seconds_before(spec: RunSpec, taken: TakenOver) -> float:
    """Seconds at work whose events this attempt has, too."""
    return taken.seconds + (spec.control.seconds if spec.control else 0.0)


def _started(
    spec: RunSpec, taken: TakenOver, method: Method | None, checkpoint_path: Path | None
) -> RunStarted:
    return RunStarted(
        at=time.time() - _seconds_before(spec, taken),
        method=spec.method,
        query=spec.task.query,
        seed=spec.seed,
        endpoint=spec.endpoint.key,
        model=spec.endpoint.model,
        pool=spec.pool.key if spec.pool else None,
        pool_version=spec.pool.version if spec.pool else None,
        checkpoint=spec.checkpoint,
        trained=_trained(method, checkpoint_path),
    )


def _trained(method: Method | None, checkpoint_path: Path | None) -> bool | None:
    """None for a method that learns nothing; without a checkpoint the weights are untrained."""
    if method is None or not method.learns:
        return None
    if checkpoint_path is None:
        return False
    try:
        return read_info(checkpoint_path, method=method.key).trained
    except CheckpointError:
        return None  # the method is about to fail with the cause

"""A method that learns to count: the smallest one that speaks the whole protocol of learning.

Its state is a number in `context.folder`, written before a step's events are yielded. Its
checkpoints are real. When started again, it yields the last step once more, as the protocol allows,
and continues. With `ask`, each step asks the endpoint one question.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from workers.core import checkpoints
from workers.core.checkpoints import CheckpointInfo
from workers.core.errors import MethodError
from workers.core.events import (
    CheckpointSaved,
    Event,
    IntermediateAnswer,
    TrainingEnded,
    TrainingMetric,
    TrainingSample,
)
from workers.core.llm.cache import CachingClient
from workers.core.llm.types import BudgetExceeded, ChatMessage, ChatRequest
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Sweep
from workers.core.methods.configuration import read_config
from workers.core.specs import AgentNode, GraphSpec, RoleSpec, TaskSpec
from workers.core.training.context import TrainingContext

STATE = "state.json"
BEGUN = "begun-{}"
"""A file that says that a step was begun."""
NUL = "nul \x00"
HOSTILE = f"{NUL} and half \ud800"


class LearnerRunConfig(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LearnerConfig(BaseModel):
    """`fail_at`: the step that raises instead, until `<folder>/mended` exists. `crash_at`: the step
    with a bug. Each step sleeps `step_seconds`; with `stall` this blocks the event loop."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    steps: int = Field(default=10, ge=1, le=100_000)
    checkpoint_every: int = Field(default=5, ge=1)
    step_seconds: float = Field(default=0.0, ge=0)
    stall: bool = False
    fail_at: int | None = None
    crash_at: int | None = None
    not_finite_at: int | None = None
    ask: bool = False
    peak: int | None = Field(default=None, description="the step with the best reward; None: last")
    hostile: bool = Field(default=False, description="says what databases refuse")
    beside: str = Field(default="", description="a checkpoint that it names and does not use")

    def named_checkpoints(self) -> tuple[str, ...]:
        return (self.beside,) if self.beside else ()


class Learner:
    key = "learner"
    name = "Learner"
    description = "Counts its steps."
    source = "tests"
    needs_pool = False
    learns = True
    config_schema = LearnerRunConfig
    training_schema = LearnerConfig
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "plain": {},
        "short": {"steps": 3},
        "long": {"steps": 1_000},
    }
    sweeps: ClassVar[dict[str, Sweep]] = {
        "length": Sweep("short", {"2 steps": {"steps": 2}, "3 steps": {"steps": 3}}),
    }

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        value = int(_value(context.checkpoint)) if context.checkpoint else 0
        yield IntermediateAnswer(step=1, answer=str(value))

    async def train(
        self, tasks: Sequence[TaskSpec], context: TrainingContext
    ) -> AsyncGenerator[Event]:
        lesson = Lesson(tasks, context, read_config(LearnerConfig, context.config))
        state = lesson.read()
        for event in lesson.events(state) if state["step"] else ():
            yield event
        while (reason := lesson.end(state)) is None:
            try:
                state = await lesson.step(state)
            except BudgetExceeded:
                if not lesson.saves(state):
                    yield lesson.saved(state)
                raise
            lesson.write(state)
            for event in lesson.events(state):
                yield event
        yield TrainingEnded(step=state["step"], reason=reason)


State = dict[str, int]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One training. `events` is a pure function of the state: it always gives the same events."""

    tasks: Sequence[TaskSpec]
    context: TrainingContext
    config: LearnerConfig

    def read(self) -> State:
        file = self.context.folder / STATE
        if file.exists():
            state: State = json.loads(file.read_text())
            return state
        begin = self.context.start_from
        return {"step": 0, "value": int(_value(begin)) if begin else 0, "tokens": 0}

    def write(self, state: State) -> None:
        new = self.context.folder / f"{STATE}.new"
        new.write_text(json.dumps(state))
        new.replace(self.context.folder / STATE)

    def end(self, state: State) -> Literal["completed", "paused", "cancelled"] | None:
        if state["step"] >= self.config.steps:
            return "completed"
        return self.context.stop.wanted

    async def step(self, state: State) -> State:
        step, config = state["step"] + 1, self.config
        (self.context.folder / BEGUN.format(step)).touch()
        if config.fail_at == step and not (self.context.folder / "mended").exists():
            raise MethodError(code="dead_end", message=f"Step {step} fails.", remedy="Mend it.")
        if config.crash_at == step:
            raise ZeroDivisionError("a bug of the learner")
        if config.stall:
            time.sleep(config.step_seconds)  # noqa: ASYNC251  it stands for a long computation
        else:
            await asyncio.sleep(config.step_seconds)
        value = (state["value"] * 31 + step + self.context.seed) % 1_000_003
        tokens = state["tokens"] + (await self._ask(step) if config.ask else 0)
        return {"step": step, "value": value, "tokens": tokens}

    async def _ask(self, step: int) -> int:
        """Each question twice in a row. The second answer comes from the cache."""
        question = ChatMessage("user", f"{self.tasks[0].query} ({step // 2})")
        client = CachingClient(self.context.llm, self.context.cache)
        usage = (await client.chat(self.context.endpoint, ChatRequest((question,)))).usage
        return (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)

    def events(self, state: State) -> list[Event]:
        step, at, reward = state["step"], _time(state), self._reward(state)
        values = {"reward": reward, "value": float(state["value"])}
        if step == self.config.not_finite_at:
            values["loss"] = float("nan")
        told: list[Event] = [
            TrainingMetric(step=step, at=at, values=values),
            self._sample(step, at, reward),
        ]
        if self.saves(state):
            told.append(self.saved(state))
        return told

    def saves(self, state: State) -> bool:
        return state["step"] % self.config.checkpoint_every == 0 or (
            state["step"] == self.config.steps
        )

    def saved(self, state: State) -> CheckpointSaved:
        name, reward = f"step-{state['step']:06d}", self._reward(state)
        return CheckpointSaved(
            step=state["step"],
            at=_time(state),
            name=name,
            sha256=self._save(name, state).sha256,
            metrics={"reward": reward, "held_out_reward": reward},
        )

    def _reward(self, state: State) -> float:
        peak = self.config.peak or self.config.steps
        return -abs(state["step"] - peak) / self.config.steps

    def _sample(self, step: int, at: float, reward: float) -> TrainingSample:
        task = self.tasks[step % len(self.tasks)]
        said = HOSTILE if self.config.hostile else "a sample"
        role = RoleSpec(key="counter", name="Counter", family="maths", description="d", prompt="p")
        return TrainingSample(
            step=step,
            index=0,
            at=at,
            query=task.query,
            reference=task.reference,
            answer=str(step),
            correct=step % 2 == 0,
            reward=reward,
            tokens=7,
            advantages=(0.5,),
            action_rewards=(1.0,),
            graph=GraphSpec(nodes=(AgentNode(id="a1", role=role),)),
            trace=({"event": "intermediate_answer", "step": 1, "answer": said, "at": at},),
        )

    def _save(self, name: str, state: State) -> CheckpointInfo:
        import torch

        info = CheckpointInfo(
            method=Learner.key,
            label=f"Learner, step {state['step']}",
            trained=True,
            seed=self.context.seed,
            code_version="tests",
            recipe=self.context.recipe | ({"said": NUL} if self.config.hostile else {}),
        )
        tensors = {"value": torch.tensor([float(state["value"])])}
        return checkpoints.save(self.context.folder / "checkpoints" / name, tensors, info)


def _time(state: State) -> float:
    return 1_700_000_000.0 + state["step"]


def _value(checkpoint: Path) -> float:
    _, tensors = checkpoints.load(checkpoint, method=Learner.key)
    return float(tensors["value"][0])

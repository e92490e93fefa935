"""Two-level rollouts (MetaAgent-X, arXiv 2605.14212, §3.2): N designs of each question, and M
executions of each design that can be used.

All executions of a step go on side by side. In each tick the calls of all of them that wait are
sampled together, and equal prompts are computed once.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from workers.core.concurrency import all_or_first_error, to_its_end
from workers.core.events.scripts import ScriptProblem
from workers.core.methods.metaagent_x.training.plays import (
    TOO_MANY_CALLS,
    Ended,
    Play,
    ScriptPlay,
    answer_of,
    play_of,
)
from workers.core.methods.metaagent_x.training.worlds import DESIGNER, EXECUTOR, Role, Said, World
from workers.core.rl.hierarchical import (
    designer_advantages,
    designer_rewards,
    executor_advantages,
)
from workers.core.rollouts.base import Ids, Messages, PolicyEngine, Sample, Sampling
from workers.core.scripts.blocks import Call, Message
from workers.core.scripts.problems import ScriptError
from workers.core.specs import TaskSpec

if TYPE_CHECKING:
    from workers.core.scripts.meaning import Meaning


MOST_SCRIPTS = 16
"""Scripts in the sandbox at once, each a process. Teams that are data need none."""


@dataclass(frozen=True, slots=True)
class RolloutOptions:
    """N designs, M executions of each. `delivery`, `format` and `call_cost` are parts of rewards.
    `greedy`: as a run does it: the designer's most probable tokens, and each agent at the
    temperature that its design gives it."""

    designs: int
    executions: int
    design_tokens: int
    max_tokens: int
    max_calls: int
    delivery: float = 0.0
    format: float = 0.0
    call_cost: float = 0.0
    greedy: bool = False


@dataclass(frozen=True, slots=True)
class Spoken:
    """A trajectory of the executor: one call of an agent."""

    number: int
    call: Call
    messages: Messages
    sample: Sample
    said: Said


@dataclass(frozen=True, slots=True)
class Execution:
    """`parts`: of the reward R_ij, by name. `learned`: the executor gets something from it.
    `advantage`: None while the executor is frozen."""

    ended: Ended
    spoken: tuple[Spoken, ...]
    answer: str | None
    correct: bool
    parts: Mapping[str, float]
    learned: bool
    advantage: float | None = 0.0

    @property
    def reward(self) -> float:
        return sum(self.parts.values())

    @property
    def tokens(self) -> int:
        return sum(len(each.sample.tokens) for each in self.spoken)


@dataclass(frozen=True, slots=True)
class Design:
    """`meaning`: None if the design can't be used; `problems` then say why. `advantage`: None while
    the designer is frozen."""

    sample: Sample
    reply: str
    script: str
    meaning: Meaning | None = None
    problems: tuple[ScriptProblem, ...] = ()
    executions: tuple[Execution, ...] = ()
    reward: float = 0.0
    advantage: float | None = 0.0

    @property
    def shape(self) -> str:
        return self.meaning.shape if self.meaning else ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the step, with its N × M matrix."""

    task: TaskSpec
    messages: Messages
    designs: tuple[Design, ...]

    @property
    def executions(self) -> list[Execution]:
        return [each for design in self.designs for each in design.executions]


@dataclass(slots=True)
class _Running:
    """An execution that goes on. `place`: question, design and execution."""

    place: tuple[int, int, int]
    task: TaskSpec
    play: Play
    spoken: list[Spoken] = field(default_factory=list)
    waits: Mapping[int, Call] = field(default_factory=dict)
    ended: Ended | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    running: _Running
    number: int
    call: Call
    messages: Messages
    prompt: Ids


@dataclass(frozen=True, slots=True)
class Rollouts:
    """`policies`: who plays each role."""

    engine: PolicyEngine
    world: World
    policies: Mapping[Role, str]
    options: RolloutOptions

    async def rolled(self, tasks: Sequence[TaskSpec], *, seed: int) -> list[Question]:
        """Designs and plays all tasks side by side. The same arguments and weights give the same
        questions."""
        questions = await self._designed(tasks, seed)
        running = [
            _Running((at, design, execution), question.task, self._play(question.task, meaning))
            for at, question in enumerate(questions)
            for design, own in enumerate(question.designs)
            if (meaning := own.meaning) is not None
            for execution in range(self.options.executions)
        ]
        try:
            await self._played(running, seed)
        finally:
            for each in running:
                await each.play.close()
        executions = await all_or_first_error(self._judged(each) for each in running)
        played: dict[tuple[int, int], list[Execution]] = {}
        for each, execution in zip(running, executions, strict=True):
            played.setdefault(each.place[:2], []).append(execution)
        return [
            credited(
                replace(
                    question,
                    designs=tuple(
                        replace(own, executions=tuple(played.get((at, design), ())))
                        for design, own in enumerate(question.designs)
                    ),
                ),
                call_cost=self.options.call_cost,
            )
            for at, question in enumerate(questions)
        ]

    async def played(self, tasks: Sequence[TaskSpec], *, seed: int) -> list[Question]:
        """Each task once, as a run does it: one design, played once."""
        options = replace(self.options, designs=1, executions=1, greedy=True)
        return await replace(self, options=options).rolled(tasks, seed=seed)

    # -- designs

    async def _designed(self, tasks: Sequence[TaskSpec], seed: int) -> list[Question]:
        """Equal replies to one question are read once."""
        options, policy = self.options, self.policies[DESIGNER]
        asked = [self.world.designer_messages(task) for task in tasks]
        prompts = [self.engine.prompt(policy, messages) for messages in asked]
        temperature = 0.0 if options.greedy else 1.0
        sampling = Sampling(options.design_tokens, _seed(seed, DESIGNER), temperature)
        sampled = await to_its_end(self.engine.sample, policy, prompts, options.designs, sampling)
        # One after the other, so their order is kept; in a thread, since a hostile script takes
        # seconds and other work of this process goes on meanwhile.
        return [
            Question(task, messages, tuple(await asyncio.to_thread(self._designs, task, samples)))
            for task, messages, samples in zip(tasks, asked, sampled, strict=True)
        ]

    def _designs(self, task: TaskSpec, samples: Sequence[Sample]) -> list[Design]:
        read: dict[Ids, Design] = {}
        for sample in samples:
            if sample.tokens not in read:
                read[sample.tokens] = self._design(task, sample)
        return [replace(read[sample.tokens], sample=sample) for sample in samples]

    def _design(self, task: TaskSpec, sample: Sample) -> Design:
        reply = self.engine.text(self.policies[DESIGNER], sample.tokens)
        script = ""
        try:
            script = self.world.script(task, reply)
            meaning = self.world.meaning(task, script).required()
        except ScriptError as error:
            return Design(sample, reply, script, problems=error.problems)
        return Design(sample, reply, script, meaning)

    # -- executions

    def _play(self, task: TaskSpec, meaning: Meaning) -> Play:
        same, most = partial(self.world.same, task), self.options.max_calls
        return play_of(meaning, same, task.query, max_calls=most)

    async def _played(self, running: Sequence[_Running], seed: int) -> None:
        """Tick by tick, until all have ended."""
        scripts = deque(each for each in running if isinstance(each.play, ScriptPlay))
        live = [each for each in running if not isinstance(each.play, ScriptPlay)]
        tick = 0
        while live or scripts:
            at_work = sum(isinstance(each.play, ScriptPlay) for each in live)
            live += [scripts.popleft() for _ in range(min(len(scripts), MOST_SCRIPTS - at_work))]
            live.sort(key=lambda each: each.place)  # equal prompts are side by side
            await all_or_first_error(self._looked_at(each) for each in live)
            live = [each for each in live if each.ended is None]
            tick += 1
            prompts: dict[str, Ids] = {}
            asked = [
                self._asked(each, number, seed, prompts) for each in live for number in each.waits
            ]
            replies = await self._sampled(asked, seed, tick)
            said = await all_or_first_error(
                self.world.said(one.running.task, one.call, reply)
                for one, (_, reply) in zip(asked, replies, strict=True)
            )
            for one, (sample, _), heard in zip(asked, replies, said, strict=True):
                one.running.spoken.append(Spoken(one.number, one.call, one.messages, sample, heard))
            for each in live:
                await self._answered(each)

    async def _looked_at(self, each: _Running) -> None:
        each.waits = await each.play.waiting()
        each.ended = each.play.ended
        if each.ended is None and len(each.spoken) + len(each.waits) > self.options.max_calls:
            # The script asks for too much, whatever its agents say.
            each.ended = Ended("limit", problem=TOO_MANY_CALLS, by_agents=False)
        if each.ended is not None:
            await each.play.close()

    def _asked(self, running: _Running, number: int, seed: int, prompts: dict[str, Ids]) -> _Asked:
        """`prompts`: those of this tick, each made once."""
        call = running.waits[number]
        # It draws what an agent is shown, no secret.
        generator = random.Random(_seed(seed, *running.place, number))  # noqa: S311
        messages = self.world.executor_messages(running.task, call, generator)
        key = repr(messages)
        if key not in prompts:
            prompts[key] = self.engine.prompt(self.policies[EXECUTOR], messages)
        return _Asked(running, number, call, messages, prompts[key])

    async def _sampled(
        self, asked: Sequence[_Asked], seed: int, tick: int
    ) -> list[tuple[Sample, str]]:
        """A sample for each call, with its text. Calls of one temperature are sampled together."""
        policy, options = self.policies[EXECUTOR], self.options
        places: dict[float, list[int]] = {}
        for place, one in enumerate(asked):
            temperature = one.call.agent.temperature if options.greedy else 1.0
            places.setdefault(temperature, []).append(place)
        found: dict[int, Sample] = {}
        for temperature, own in places.items():
            prompts = [asked[place].prompt for place in own]
            drawn = _seed(seed, EXECUTOR, tick, temperature)
            sampling = Sampling(options.max_tokens, drawn, temperature)
            samples = await to_its_end(self.engine.sample, policy, prompts, 1, sampling)
            found |= {place: one for place, (one,) in zip(own, samples, strict=True)}
        return [
            (found[place], self.engine.text(policy, found[place].tokens))
            for place in range(len(asked))
        ]

    async def _answered(self, each: _Running) -> None:
        said = {spoken.number: spoken for spoken in each.spoken[-len(each.waits) :]}
        await each.play.answer(
            {
                number: Message(
                    spoken.call.agent.name,
                    spoken.said.text,
                    spoken.said.answer,
                    usable=spoken.said.usable,
                    number=number,
                )
                for number, spoken in said.items()
            }
        )

    async def _judged(self, each: _Running) -> Execution:
        ended = each.ended or Ended("broken", by_agents=False)
        delivered = ended.message if ended.ending == "delivered" else None
        answer = await answer_of(self.world, each.task, delivered) if delivered else None
        correct = delivered is not None and await self.world.correct(each.task, answer)
        options = self.options
        parts = {
            "correct": float(correct),
            "delivery": options.delivery * (delivered is not None),
            "format": options.format * (answer is not None),
        }
        return Execution(
            ended=ended,
            spoken=tuple(each.spoken),
            answer=answer,
            correct=correct,
            parts={name: value for name, value in parts.items() if value},
            learned=ended.by_agents,
        )


def credited(question: Question, *, call_cost: float) -> Question:
    """With the designs' rewards, and all advantages."""
    designs = question.designs
    rewards = [[each.reward for each in design.executions] for design in designs]
    worth = [
        [max(0.0, each.reward - call_cost * len(each.spoken)) for each in design.executions]
        for design in designs
    ]
    calls = [
        [len(each.spoken) if each.learned else 0 for each in design.executions]
        for design in designs
    ]
    told = zip(
        designs,
        designer_rewards(worth),
        designer_advantages(worth),
        executor_advantages(rewards, calls),
        strict=True,
    )
    return replace(
        question,
        designs=tuple(
            replace(
                design,
                reward=reward,
                advantage=advantage,
                executions=tuple(
                    replace(execution, advantage=own)
                    for execution, own in zip(design.executions, executed, strict=True)
                ),
            )
            for design, reward, advantage, executed in told
        ),
    )


def frozen(question: Question, learns: Collection[Role]) -> Question:
    """Without the advantages of roles that do not learn."""

    def kept(role: Role, advantage: float | None) -> float | None:
        return advantage if role in learns else None

    return replace(
        question,
        designs=tuple(
            replace(
                design,
                advantage=kept(DESIGNER, design.advantage),
                executions=tuple(
                    replace(execution, advantage=kept(EXECUTOR, execution.advantage))
                    for execution in design.executions
                ),
            )
            for design in question.designs
        ),
    )


def _seed(*parts: object) -> int:
    digest = hashlib.sha256(" ".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:7])

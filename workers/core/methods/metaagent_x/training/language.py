"""The studio's own world: designer and agents read what they read in runs, and a task's verifier
says which answer is right."""

from __future__ import annotations

import random
import re
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from workers.core.answers.programs import program_to_run
from workers.core.answers.reading import counted
from workers.core.benchmarks.entry_points import entry_points
from workers.core.benchmarks.registry import VERIFIERS
from workers.core.environments.programs import require_sandbox
from workers.core.errors import MethodError
from workers.core.mas.contribution import Contribution, read_text, with_output
from workers.core.mas.prompts import agent_messages
from workers.core.methods.metaagent_x.config import DESIGNER
from workers.core.methods.metaagent_x.models import parameters_of
from workers.core.methods.metaagent_x.performing import read_by, role_of
from workers.core.methods.metaagent_x.prompts import designer_messages
from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.demonstrating import played
from workers.core.methods.metaagent_x.training.plays import answer_of
from workers.core.methods.metaagent_x.training.worlds import Said, Shown
from workers.core.rollouts.base import Messages
from workers.core.scripts.blocks import Call
from workers.core.scripts.meaning import Meaning, meaning_of
from workers.core.scripts.problems import ScriptError
from workers.core.scripts.reading import script_in
from workers.core.specs import SMALL_BELOW, AnswerForm, TaskSpec
from workers.core.tools.base import ToolLimits
from workers.core.tools.program import PROGRAM_TOOL, ProgramRunner
from workers.core.training.context import TrainingContext
from workers.core.training.judging import Judge
from workers.core.training.traces import Spoken, Trace

OUTPUT = "\n\nOutput:\n"
"""Between an agent's message and what its program printed."""
LIMITS = ToolLimits()

_CALLED = re.compile(r"a\d+")
"""The id of a script's agent."""

Key = tuple[str, str | None]
"""A task's query and reference."""


@dataclass
class LanguageWorld:
    """`traces`: right runs of this method, which it demonstrates."""

    tools: tuple[str, ...]
    max_calls: int
    design_room: int
    room: int
    small_model: bool
    traces: Sequence[Trace] = ()
    key: str = "language"
    _judge: Judge = field(default_factory=Judge)
    _shown: dict[Key, list[list[Shown]]] = field(default_factory=dict)

    @staticmethod
    def made(config: MetaAgentXTrainingConfig, context: TrainingContext) -> LanguageWorld:
        parameters = parameters_of(config.model)
        return LanguageWorld(
            tools=config.tool_keys,
            max_calls=config.max_calls,
            design_room=config.prompt_tokens,
            room=config.prompt_tokens,
            small_model=parameters is not None and parameters < SMALL_BELOW,
            traces=context.traces if config.reads_runs() else (),
        )

    def __post_init__(self) -> None:
        self._of: defaultdict[Key, list[Trace]] = defaultdict(list)
        for trace in self.traces:
            self._of[trace.query, trace.reference].append(trace)

    def require(self, tasks: Sequence[TaskSpec]) -> None:
        for task in tasks:
            if task.verifier not in VERIFIERS:
                raise MethodError(
                    code="no_verifier",
                    message=f"The task “{task.query[:60]}” has no verifier, so it gives no reward.",
                    remedy="Train on a dataset whose tasks have a reference and a verifier.",
                )

    def designer_messages(self, task: TaskSpec) -> Messages:
        messages = designer_messages(
            task.query,
            tools=self.tools,
            max_calls=self.max_calls,
            answer_form=task.answer_form,
            room_tokens=self.design_room,
            small_model=self.small_model,
        )
        return tuple({"role": each.role, "content": each.content} for each in messages)

    def executor_messages(self, task: TaskSpec, call: Call, generator: random.Random) -> Messages:
        messages = agent_messages(
            role_of(call.agent),
            query=task.query,
            inputs=read_by(call),
            room_tokens=self.room,
            small_model=self.small_model,
            answer_form=_form(task, call),
            runs_program=PROGRAM_TOOL in call.agent.tools,
            ending=call.asks,
        )
        return tuple({"role": each.role, "content": each.content} for each in messages)

    def script(self, task: TaskSpec, reply: str) -> str:
        return script_in(reply)

    def meaning(self, task: TaskSpec, script: str) -> Meaning:
        return meaning_of(script, self.tools)

    async def said(self, task: TaskSpec, call: Call, reply: str) -> Said:
        """As `mas.contribution` reads it. Raises MethodError if no program can run here."""
        form = _form(task, call)
        read = read_text(reply, form, () if call.asks else entry_points(task))
        if PROGRAM_TOOL in call.agent.tools and not read.refused:
            read = await _with_output(read, form)
        return Said(read.text, read.answer, usable=bool(read.text) and not read.refused)

    def same(self, task: TaskSpec, answers: Sequence[str]) -> list[list[int]]:
        return counted(answers, task.answer_form)

    async def correct(self, task: TaskSpec, answer: str | None) -> bool:
        if answer is None:
            return False
        return await self._judge.correct(task, answer, answer)

    # -- demonstrations

    def demonstrates(self, task: TaskSpec) -> bool:
        return (task.query, task.reference) in self._of

    async def demonstrated(self, task: TaskSpec, generator: random.Random) -> Sequence[Shown]:
        """One of the runs that were right. Of those that are right here, too, the ones with the
        fewest messages: in longer ones, something said first was wrong."""
        key = task.query, task.reference
        if key not in self._shown:
            found = [await self._replayed(task, trace) for trace in self._of.get(key, ())]
            right = [shown for shown in found if shown]
            least = min(map(len, right), default=0)
            self._shown[key] = [shown for shown in right if len(shown) == least]
        runs = self._shown[key]
        return generator.choice(runs) if runs else ()

    async def _replayed(self, task: TaskSpec, trace: Trace) -> list[Shown]:
        """[] if the run's script was given, is no longer valid, or is not right here."""
        design, said = _parted(trace)
        if not design:
            return []
        try:
            shown, message = await played(
                self,
                task,
                design,
                _Says(said),
                random.Random(0),  # noqa: S311  nothing is drawn
                max_calls=self.max_calls,
            )
        except ScriptError:
            return []
        answer = None if message is None else await answer_of(self, task, message)
        return shown if await self.correct(task, answer) else []


class _Says:
    """What was said in the run at each place. In what an older studio kept, agents of one name are
    alike, and what they said stands in order."""

    def __init__(self, said: Sequence[Spoken]) -> None:
        self._said: defaultdict[str | tuple[int, ...], deque[str]] = defaultdict(deque)
        for each in said:
            self._said[each.place or each.role].append(each.message)

    def __call__(self, call: Call, messages: Messages) -> str | None:
        own = self._said[call.place] or self._said[role_of(call.agent).key]
        if not own:
            return None
        message = own.popleft()
        has_program = PROGRAM_TOOL in call.agent.tools
        return message.rpartition(OUTPUT)[0] or message if has_program else message


def _parted(trace: Trace) -> tuple[str, Sequence[Spoken]]:
    """The designer's last reply, which follows those that it had to correct; "": there is none. And
    what the agents said."""
    designs = 0
    while designs < len(trace.spoken) and _designs(trace.spoken[designs]):
        designs += 1
    return (trace.spoken[designs - 1].message if designs else ""), trace.spoken[designs:]


def _designs(spoken: Spoken) -> bool:
    """An agent of the script may be called Designer, too."""
    return spoken.role == DESIGNER and not _CALLED.fullmatch(spoken.agent)


async def _with_output(read: Contribution, form: AnswerForm) -> Contribution:
    code = program_to_run(read.text)
    if code is None:
        return read
    await require_sandbox()
    return with_output(read, await ProgramRunner().run({"code": code}, LIMITS), form)


def _form(task: TaskSpec, call: Call) -> AnswerForm:
    """A verdict or a route is text, whatever form the answer has."""
    return "text" if call.asks else task.answer_form

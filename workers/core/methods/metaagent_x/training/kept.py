"""A step's questions as rows to keep: the N × M matrix, and the tokens of every trajectory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from workers.core.methods.metaagent_x.performing import role_of
from workers.core.methods.metaagent_x.training.rollouts import (
    Design,
    Execution,
    Question,
    Spoken,
)
from workers.core.methods.metaagent_x.training.worlds import DESIGNER, EXECUTOR, ROLES, Role
from workers.core.rollouts.base import Ids, Messages, PolicyEngine, Sample
from workers.core.rollouts.branches import BranchRow, prompt_hash
from workers.core.rollouts.designs import CallRow, DesignRow, ExecutionRow
from workers.core.training.divergence import COMPARED, divergences

Policies = Mapping[Role, str]
After = Mapping[Sample, tuple[float, ...]]
"""Log-probabilities of a sample's tokens under the weights of now."""


def gone(
    questions: Sequence[Question], engine: PolicyEngine, policies: Policies
) -> dict[str, float]:
    """The KL divergence of each role per token from where sampling began, as `kl_ROLE`."""
    found = {}
    for role in ROLES:
        different = dict.fromkeys(each for one in questions for each in _samples(one, role))
        samples = list(islice(different, COMPARED))
        if tokens := sum(len(sample.tokens) for sample in samples):
            found[f"kl_{role}"] = sum(divergences(engine, policies[role], samples)) / tokens
    return found


def probabilities_after(
    questions: Sequence[Question], engine: PolicyEngine, policies: Policies
) -> dict[Sample, tuple[float, ...]]:
    """Of all samples of these questions."""
    found: dict[Sample, tuple[float, ...]] = {}
    for role in ROLES:
        samples = list(dict.fromkeys(each for one in questions for each in _samples(one, role)))
        if samples:
            told = engine.logprobs(policies[role], samples)
            found |= dict(zip(samples, told, strict=True))
    return found


def design_rows(
    questions: Sequence[Question], tasks: Sequence[int], policies: Policies
) -> Iterator[DesignRow]:
    """By question and design. `tasks`: the place of each question's task among the training's."""
    for at, question in enumerate(questions):
        for number, design in enumerate(question.designs, 1):
            yield design_row(question, design, (at, tasks[at], number), policies)


def design_row(
    question: Question, design: Design, place: tuple[int, int, int], policies: Policies
) -> DesignRow:
    """`place`: the question's, its task's, and the design's number."""
    at, task, number = place
    return DesignRow(
        question=at,
        task=task,
        query=question.task.query,
        reference=question.task.reference,
        design=number,
        messages=question.messages,
        reply=design.reply,
        script=design.script,
        shape=design.shape,
        problems=design.problems,
        drawing=design.meaning.drawing if design.meaning else None,
        policy=policies[DESIGNER],
        prompt_tokens=len(design.sample.prompt),
        tokens=len(design.sample.tokens),
        finish=design.sample.finish,
        reward=design.reward,
        advantage=design.advantage,
        executions=[
            execution_row(design, each, execution, policies[EXECUTOR])
            for execution, each in enumerate(design.executions, 1)
        ],
    )


def execution_row(design: Design, one: Execution, execution: int, policy: str) -> ExecutionRow:
    return ExecutionRow(
        execution=execution,
        ending=one.ended.ending,
        problem=one.ended.problem,
        printed=one.ended.printed,
        delivered=one.ended.message.number if one.ended.message else 0,
        reward=one.reward,
        parts=one.parts,
        advantage=one.advantage,
        correct=one.correct,
        answer=one.answer,
        learned=one.learned,
        calls=[_call(design, each, one.advantage, policy) for each in one.spoken],
    )


def _call(design: Design, spoken: Spoken, advantage: float | None, policy: str) -> CallRow:
    agent, call = spoken.call.agent, spoken.call
    role = role_of(agent)
    return CallRow(
        number=spoken.number,
        role=role.key,
        family=role.family,
        name=role.name,
        prompt=role.prompt,
        tools=role.tools,
        reads=[message.number for message in call.reads if message.number],
        block=design.meaning.block_id(agent, call.lines) if design.meaning else "",
        line=agent.line,
        lines=call.lines,
        messages=spoken.messages,
        text=spoken.said.text,
        answer=spoken.said.answer,
        usable=spoken.said.usable,
        policy=policy,
        prompt_tokens=len(spoken.sample.prompt),
        tokens=len(spoken.sample.tokens),
        finish=spoken.sample.finish,
        advantage=advantage,
        place=call.place,
    )


@dataclass(frozen=True, slots=True)
class _Branches:
    """What the branches of a step have in common."""

    policies: Policies
    pieces: Mapping[str, Mapping[int, str]]
    after: After

    def of_designer(self, question: Question, common: _Common) -> Iterator[BranchRow]:
        best = max(question.designs, key=lambda design: design.reward)
        for number, design in enumerate(question.designs, 1):
            row = self._row(common, (DESIGNER, 1, number), design.sample, question.messages)
            yield replace(
                row,
                message=design.reply,
                read=design.shape,
                reward=design.reward,
                advantage=design.advantage,
                taken=design is best,
            )

    def of_executor(self, question: Question, common: _Common) -> Iterator[BranchRow]:
        turns: dict[Ids, list[tuple[Execution, Spoken]]] = {}
        for execution in question.executions:
            for spoken in execution.spoken:
                turns.setdefault(spoken.sample.prompt, []).append((execution, spoken))
        for turn, calls in enumerate(turns.values(), 1):
            for number, (execution, spoken) in enumerate(calls, 1):
                row = self._row(common, (EXECUTOR, turn, number), spoken.sample, spoken.messages)
                yield replace(
                    row,
                    message=spoken.said.text,
                    read=spoken.said.answer or "",
                    reward=execution.reward,
                    team=dict(execution.parts),
                    advantage=_learned(execution),
                )

    def _row(
        self,
        common: _Common,
        place: tuple[Role, int, int],
        sample: Sample,
        messages: Messages,
    ) -> BranchRow:
        """`place`: role, turn and branch."""
        role, turn, number = place
        policy = self.policies[role]
        return BranchRow(
            episode=common.at,
            task=common.task,
            agent=role,
            turn=turn,
            branch=number,
            policy=policy,
            version=sample.version,
            prompt_hash=prompt_hash(sample.prompt),
            messages=messages,
            tokens=sample.tokens,
            pieces=[self.pieces[policy][token] for token in sample.tokens],
            logprobs=sample.logprobs,
            after=self.after.get(sample, ()),
            message="",
            read="",
            finish=sample.finish,
            reward=0.0,
            team={},
            local={},
            advantage=0.0,
            taken=False,
            ended=common.ended,
            solved=common.solved,
            picture={},
        )


@dataclass(frozen=True, slots=True)
class _Common:
    """Of all branches of a question."""

    at: int
    task: int
    ended: str
    solved: bool


def branch_rows(
    questions: Sequence[Question],
    *,
    policies: Policies,
    tasks: Sequence[int],
    pieces: Mapping[str, Mapping[int, str]],
    after: After,
) -> Iterator[BranchRow]:
    """A group is one prompt. The designer's is turn 1 of its question, with a branch for each
    design, of which the best is the one taken. The executor's turns number the different prompts of
    the question, and the branches of one are the calls with this prompt. Their advantages are
    relative to all executor calls of the question. `pieces`: by policy, of each token."""
    branches = _Branches(policies, pieces, after)
    for at, question in enumerate(questions):
        executions = question.executions
        delivered = any(each.ended.ending == "delivered" for each in executions)
        common = _Common(
            at,
            tasks[at],
            ended="delivered" if delivered else "failed",
            solved=any(each.correct for each in executions),
        )
        yield from branches.of_designer(question, common)
        yield from branches.of_executor(question, common)


def _learned(execution: Execution) -> float | None:
    return execution.advantage if execution.learned or execution.advantage is None else 0.0


def samples_of(questions: Sequence[Question], policies: Policies) -> dict[str, list[Sample]]:
    """By policy."""
    found: dict[str, list[Sample]] = {}
    for role in ROLES:
        own = found.setdefault(policies[role], [])
        own += (each for one in questions for each in _samples(one, role))
    return found


def _samples(question: Question, role: Role) -> Iterator[Sample]:
    if role == DESIGNER:
        yield from (design.sample for design in question.designs)
    else:
        yield from (one.sample for each in question.executions for one in each.spoken)

"""Run once in a process of its own: a stored training of MetaAgent-X, which would take long.

Prints `{"job": id}` as its last line: twelve steps in stages of three, and the designs of the last
one: teams of several shapes, executions that are right, wrong or fail, and a script that can't be
used.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import django

from workers.core.rollouts.designs import CallRow, DesignRow, ExecutionRow, write_designs
from workers.core.scripts.meaning import Meaning, meaning_of

if TYPE_CHECKING:
    from apps.training.models import TrainingJob

STEPS = 12
STAGE = 3
QUESTIONS = (
    ("A farmer shares 84 eggs equally among 7 baskets. How many eggs are in each?", "12"),
    ("A train leaves at 9:40 and takes 95 minutes. When does it arrive?", "11:15"),
    ("A rope of 30 m is cut into pieces of 1.25 m. How many pieces are there?", "24"),
)
SINGLE = """\
from workflow import agent, deliver

deliver(agent("Solver", "Solve the problem step by step."))
"""
VOTE = """\
from workflow import agent, deliver, ensemble

solvers = [agent(f"Solver {n}", "Solve it.", temperature=0.7) for n in range(1, 4)]
deliver(ensemble(solvers, by="majority"))
"""
CHECKED = """\
from workflow import agent, deliver, reflection

worker = agent("Worker", "Solve the problem step by step.")
critic = agent("Critic", "Check every step of the answer.")
deliver(reflection(worker, critic))
"""
UNUSABLE = """\
import os
from workflow import agent, deliver

deliver(agent("Solver", os.environ["HOME"]))
"""
# For each design: its script, and which of its executions are right (None: the script failed).
DESIGNS: tuple[tuple[str, tuple[bool | None, ...]], ...] = (
    (SINGLE, (False, True, False, False)),
    (VOTE, (True, True, False, True)),
    (UNUSABLE, ()),
    (CHECKED, (True, None, True, True)),
    (VOTE.replace("Solver", "Voter"), (True, True, True, True)),
)


def designs() -> Iterator[DesignRow]:
    for question in range(len(QUESTIONS)):
        rows = [_design(question, number) for number in range(1, len(DESIGNS) + 1)]
        rewards = [row.reward for row in rows]
        mean = math.fsum(rewards) / len(rewards)
        for row in rows:
            yield replace(row, advantage=row.reward - mean)


def _design(question: int, number: int) -> DesignRow:
    script, said = DESIGNS[number - 1]
    query, reference = QUESTIONS[question]
    meaning = meaning_of(script)
    executions = tuple(
        _execution(meaning, place, right, reference) for place, right in enumerate(said, start=1)
    )
    return DesignRow(
        question=question,
        task=question + 7,
        query=query,
        reference=reference,
        design=number,
        messages=[{"role": "user", "content": query}],
        reply=f"```python\n{script}```",
        script=script,
        shape=meaning.shape,
        problems=meaning.problems,
        drawing=meaning.drawing,
        policy="designer",
        prompt_tokens=400,
        tokens=90,
        finish="stop",
        reward=math.fsum(each.reward for each in executions) / max(1, len(executions)),
        advantage=0.0,
        executions=executions,
    )


def _execution(meaning: Meaning, number: int, right: bool | None, reference: str) -> ExecutionRow:
    answer = None if right is None else reference if right else "7"
    drawing = meaning.drawing
    assert drawing is not None
    agents = [block for block in drawing.blocks if block.kind == "agent"]
    calls = tuple(
        CallRow(
            number=place,
            role="solver",
            family="executor",
            name=block.name,
            prompt=block.prompt,
            tools=(),
            reads=(place - 1,) if block.name == "Critic" else (),
            block=block.id,
            line=block.line,
            lines=(block.line + 1,),
            messages=[{"role": "user", "content": "Solve it."}],
            text=f"I think that it is {answer}.\nAnswer: {answer}",
            answer=answer,
            usable=True,
            policy="executor",
            prompt_tokens=120,
            tokens=30,
            finish="stop",
            advantage=0.3,
        )
        for place, block in enumerate(agents, start=1)
    )
    return ExecutionRow(
        execution=number,
        ending="failed" if right is None else "delivered",
        problem=None,
        printed="",
        delivered=0 if right is None else 1,
        reward=1.0 if right else 0.0,
        parts={"correct": 1.0} if right else {},
        advantage=0.4 if right else -0.6,
        correct=bool(right),
        answer=answer,
        learned=True,
        calls=calls,
    )


def values(step: int) -> dict[str, float]:
    share = step / STEPS
    learns_executor = (step - 1) // STAGE % 2 == 0
    return {
        "stage": 1.0 if learns_executor else 0.0,
        "reward": 0.3 + 0.4 * share,
        "correct": 0.3 + 0.4 * share,
        "designer_reward": 0.2 + 0.5 * share,
        "executor_reward": 0.35 + 0.3 * share,
        "scripts_parse": 0.7 + 0.25 * share,
        "scripts_run": 0.6 + 0.3 * share,
        "scripts_right": 0.4 + 0.4 * share,
        "shapes": 6 - 3 * share,
        "tokens": 300 - 40 * share,
    }


def store() -> TrainingJob:
    from django.utils import timezone

    from apps.training.folders import training_folder
    from apps.training.models import Metric, TrainingJob

    now = timezone.now()
    job = TrainingJob.objects.create(
        name="Designer and executor",
        method="metaagent_x",
        status=TrainingJob.Status.SUCCEEDED,
        end_reason=TrainingJob.EndReason.COMPLETED,
        step=STEPS,
        total_steps=STEPS,
        latest=values(STEPS),
        started_at=now,
        finished_at=now,
    )
    for step in range(1, STEPS + 1):
        Metric.objects.create(job=job, step=step, values=values(step))
    folder = training_folder(job.id)
    folder.mkdir(parents=True, exist_ok=True)
    for step in (STEPS - 1, STEPS):
        write_designs(folder, step, list(designs()), kept=10)
    return job


def main() -> None:
    django.setup()
    print(json.dumps({"job": str(store().id)}))


if __name__ == "__main__":
    main()

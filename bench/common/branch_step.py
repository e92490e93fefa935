"""A step of AT-GRPO with as many branches as one may have: every token, as a training keeps it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workers.core.rollouts.branches import BranchRow, write_branches

if TYPE_CHECKING:
    from apps.training.models import TrainingJob

BRANCHES, TOKENS = 10_000, 200
OF_GROUP, TURNS = 8, 4
AGENTS = ("proposer", "planner")
WORDS = [f" word{number}" for number in range(2_000)]
STEP = 7


def rows(branches: int = BRANCHES, tokens: int = TOKENS, seed: int = 0) -> Iterator[BranchRow]:
    """By episode, turn and agent. The same seed gives the same rows."""
    chance = random.Random(seed)
    groups = branches // OF_GROUP
    for group in range(groups):
        turn, agent = divmod(group % (TURNS * len(AGENTS)), len(AGENTS))
        said = "".join(chance.choices(WORDS, k=200))
        messages = [
            {"role": "system", "content": "You are one agent of a team. " * 10},
            {"role": "user", "content": said},
        ]
        solved, taken = group % 3 == 0, chance.randrange(OF_GROUP)
        for branch in range(OF_GROUP):
            ids = chance.choices(range(len(WORDS)), k=tokens)
            pieces = [WORDS[each] for each in ids]
            reward = chance.choice((0.0, 0.0, 0.5, 1.0))
            yield BranchRow(
                episode=group // (TURNS * len(AGENTS)),
                task=group // (TURNS * len(AGENTS)) % 200,
                agent=AGENTS[agent],
                turn=turn + 1,
                branch=branch + 1,
                policy="shared",
                version=STEP,
                prompt_hash=f"{group:016x}",
                messages=messages,
                tokens=ids,
                pieces=pieces,
                logprobs=[-chance.random() for _ in ids],
                after=(),
                message="".join(pieces),
                read=said[:20],
                finish="length" if branch == 0 else "stop",
                reward=reward,
                team={"goal": reward},
                local={"form": 0.0},
                advantage=reward - 0.4,
                taken=branch == taken,
                ended="solved" if solved else "turns",
                solved=solved,
                picture={"board": "S.#G" * 4} if branch == taken else {},
            )


def store(branches: int = BRANCHES, tokens: int = TOKENS) -> TrainingJob:
    """A training with such a step."""
    from django.utils import timezone

    from apps.training.folders import training_folder
    from apps.training.models import Metric, TrainingJob

    now = timezone.now()
    job = TrainingJob.objects.create(
        name="A large step",
        method="at_grpo",
        status=TrainingJob.Status.SUCCEEDED,
        end_reason=TrainingJob.EndReason.COMPLETED,
        step=STEP,
        total_steps=STEP,
        started_at=now,
        finished_at=now,
    )
    Metric.objects.create(job=job, step=STEP, values={"reward": 0.4})
    write_branches(training_folder(job.id), STEP, rows(branches, tokens), kept=10)
    return job

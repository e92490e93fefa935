"""Measures what a step of training costs, beside the libraries that do the same.

    bin/studio bench rollouts [--rounds 5] [--model FOLDER] [--episodes 8] [--branches 8]
        [--answer 32] [--prompt 512] [--updated 2] [--steps 5]

The model is SmolLM2-135M-Instruct; `--model` names another one by its folder. The prompts are
boards of Plan-Path 5×5 in words. Each pair is measured in turns, and the median is told.

 - `share_of_generate`: tokens a second of the in-process engine, in parts of those of a plain loop
   of transformers' `generate` on the same batch. No answer ends early. Ours also tells each token's
   log-probability, and theirs does not.
 - `branch_cost`: what `branches` answers to one prompt of `--prompt` tokens cost, in parts of as
   many times one answer.
 - `update_ratio`: seconds of an update (loss, gradient, clipping, AdamW), in parts of those of
   trl's GRPOTrainer on the same batch, without checkpoints of activations. The batch has the
   answers to `--updated` prompts: to all eight, trl's update takes more than 20 GiB.
 - `share_of_time_sampling`: of the steps of a training on Plan-Path 5×5 that goes on from the team
   that comes with the studio.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

import torch

from bench.common.report import report
from bench.common.small_model import small_model
from studio.launcher.folder import ROOT
from workers.core.benchmarks.games.episodes import GAMES, episodes
from workers.core.benchmarks.games.plan_path import PlanPathOptions
from workers.core.checkpoints import SHIPPED
from workers.core.environments.games import PlanPathTeam, Wording
from workers.core.events import TrainingMetric
from workers.core.llm.client import OpenAIClient
from workers.core.methods.at_grpo.config import METHOD_KEY
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.methods.at_grpo.training.config import PRESETS
from workers.core.methods.at_grpo.trees import messages_for
from workers.core.rollouts.base import Ids, LossOptions, Sample, Sampling, Weighted
from workers.core.rollouts.decoding import left_padded
from workers.core.rollouts.generating import generate
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.optimiser import GRADIENT_LIMIT
from workers.core.rollouts.policies import Policy, PolicySpec
from workers.core.specs import TaskSpec
from workers.core.testing.beside_trl import inputs_of, trainer_of
from workers.core.training.context import UNASKED, TrainingContext
from workers.core.weights.nano import NAME

RATE = 1e-6
TEAM = SHIPPED / METHOD_KEY / "checkpoints" / "at-grpo-nano"


def in_turns(rounds: int, *works: Callable[[], object]) -> list[list[float]]:
    """The seconds of each work in each round, after one that is not counted. They are told as they
    come, on the standard error."""
    seconds: list[list[float]] = [[] for _ in works]
    for counted in range(rounds + 1):
        for own, work in zip(seconds, works, strict=True):
            began = time.perf_counter()
            work()
            if counted:
                own.append(time.perf_counter() - began)
                print(f"round {counted}: {own[-1]:.2f} s", file=sys.stderr, flush=True)
    return seconds


def ratio(one: Sequence[float], other: Sequence[float]) -> float:
    """The median of the rounds' ratios."""
    return median(a / b for a, b in zip(one, other, strict=True))


def boards(count: int) -> list[TaskSpec]:
    options = PlanPathOptions(size=5)
    return list(episodes(GAMES["plan_path"], options, split="train", count=count, seed=0))


def prompts_of(engine: InProcessEngine, count: int, *, model: str) -> list[Ids]:
    """What the first agent is asked on as many boards."""
    wording: Wording = "letters" if model == NAME else "sentences"
    team = PlanPathTeam(proposes="answer", wording=wording)
    states = [team.begin(task) for task in boards(count)]
    return [engine.prompt("team", messages_for(team, state, 0)) for state in states]


def sampled(policy: Policy, prompts: Sequence[Ids], n: int, answer: int) -> list[list[Sample]]:
    """By our engine's loop. No token ends an answer."""
    return generate(policy.model, prompts, n, Sampling(answer, seed=0), stop=(), pad=policy.pad)


def plainly(policy: Policy, prompts: Sequence[Ids], n: int, answer: int) -> torch.Tensor:
    """The same by transformers' loop."""
    ids, mask = left_padded(prompts, policy.pad)
    model: Any = policy.model
    made: torch.Tensor = model.generate(
        input_ids=ids,
        attention_mask=mask,
        do_sample=True,
        temperature=1.0,
        top_k=0,
        top_p=1.0,
        num_return_sequences=n,
        max_new_tokens=answer,
        eos_token_id=None,
        pad_token_id=policy.pad,
    )
    if made.shape != (len(prompts) * n, ids.shape[1] + answer):
        raise SystemExit("transformers ended an answer early, so the two can't be compared.")
    return made


def updated(engine: InProcessEngine, batch: Sequence[Weighted]) -> None:
    engine.forward_backward("team", batch, LossOptions())
    engine.optim_step("team", RATE)


def trl_update(policy: Policy, batch: Sequence[Weighted], n: int) -> Callable[[], None]:
    with tempfile.TemporaryDirectory() as made:
        trainer = trainer_of(policy, Path(made), loss_type="grpo", answers=len(batch), branches=n)
    optimiser = torch.optim.AdamW(policy.learned.values(), lr=RATE, weight_decay=0.0)
    inputs = inputs_of(batch, policy.pad)

    def update() -> None:
        loss = trainer._compute_loss(policy.model, inputs)
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(policy.learned.values(), GRADIENT_LIMIT)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)

    return update


def share_sampling(steps: int) -> float:
    """The share of a nano training's step that is sampling."""
    config = PRESETS["studio"] | {"cold_steps": 0, "steps": steps, "branches_kept": 0}

    async def run(folder: Path) -> list[float]:
        context = TrainingContext(
            llm=OpenAIClient(),
            endpoint=UNASKED,
            seed=0,
            folder=folder,
            config=config,
            start_from=TEAM,
        )
        events = AtGrpo().train(boards(64 * steps), context)
        told = [event.values async for event in events if isinstance(event, TrainingMetric)]
        return [values["seconds_sampling"] / values["seconds"] for values in told]

    with tempfile.TemporaryDirectory() as made:
        os.environ["STUDIO_MODELS_DIR"] = f"{made}/models"  # nano is made there
        return fmean(asyncio.run(run(Path(made) / "training")))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a step of training costs.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--model", type=Path, help="the folder of a language model")
    parser.add_argument("--episodes", type=int, default=8, help="prompts of a batch")
    parser.add_argument("--branches", type=int, default=8, help="answers to each prompt")
    parser.add_argument("--updated", type=int, default=2, help="prompts of an update's batch")
    parser.add_argument("--answer", type=int, default=32, help="tokens of an answer")
    parser.add_argument("--prompt", type=int, default=512, help="tokens of the one long prompt")
    parser.add_argument("--steps", type=int, default=5, help="steps of the nano training")
    parser.add_argument("--folder", type=Path, default=ROOT / ".studio" / "bench" / "vllm")
    options = parser.parse_args()
    rounds, n, answer = options.rounds, options.branches, options.answer
    model = options.model or small_model(options.folder.absolute())
    os.environ["STUDIO_MODELS_DIR"] = str(model.parent)
    engine = InProcessEngine({"team": PolicySpec(model.name)}, seed=0)
    policy = engine.learning("team").policy
    prompts = prompts_of(engine, options.episodes, model=model.name)

    ours, theirs = in_turns(
        rounds,
        lambda: sampled(policy, prompts, n, answer),
        lambda: plainly(policy, prompts, n, answer),
    )
    tokens = len(prompts) * n * answer
    repeated = prompts[0] * (options.prompt // len(prompts[0]) + 1)
    long = [repeated[: options.prompt]]
    many, one = in_turns(
        rounds,
        lambda: sampled(policy, long, n, answer),
        lambda: sampled(policy, long, 1, answer),
    )
    groups = sampled(policy, prompts[: options.updated], n, answer)
    batch = [Weighted(sample, (-1.0) ** at) for group in groups for at, sample in enumerate(group)]
    trl = trl_update(policy, batch, n)
    own_update, their_update = in_turns(rounds, lambda: updated(engine, batch), trl)

    found = {
        "share_of_generate": ratio(theirs, ours),
        "share_of_time_sampling": share_sampling(options.steps),
        "tokens_per_second": tokens / median(ours),
        "branch_cost": ratio(many, one) / n,
        "update_ratio": ratio(own_update, their_update),
    }
    rows = [
        (f"{tokens} tokens, this engine", f"{median(ours):.2f} s"),
        (f"{tokens} tokens, transformers", f"{median(theirs):.2f} s"),
        (f"{n} answers to {options.prompt} tokens", f"{median(many):.2f} s"),
        (f"one answer to {options.prompt} tokens", f"{median(one):.2f} s"),
        (f"an update of {len(batch)} answers", f"{median(own_update):.2f} s"),
        (f"an update of {len(batch)} answers, trl", f"{median(their_update):.2f} s"),
    ]
    report("rollouts", ("figure", "median"), rows, **found)


if __name__ == "__main__":
    main()

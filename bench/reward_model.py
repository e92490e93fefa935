"""Measures how well ReSo's tuned reward model distinguishes right answers from wrong ones.

    python -m bench.common.reward_examples RESULTS.csv LEARNED.jsonl   # of an evaluation; HELD_OUT
    bin/studio bench reward_model LEARNED.jsonl HELD_OUT.jsonl --model NAME --folder JOB
                                  [--epochs 1] [--rate 2e-4] [--zero-shot]

NAME is a folder below that of local models (`STUDIO_MODELS_DIR`). The model is tuned on the
examples of the first file, as in a training of ReSo. JOB keeps the progress, so a stopped tuning
continues. Then the answers of the second file are judged: by the tuned model, by the same model
with an untrained head, with `--zero-shot` by the model as it writes (the form `chat_turns`: + or −
after each step), and by how short they are.

AUC is the probability that a right answer scores higher than a wrong one; a tie counts half. The
95% intervals are bootstrapped over right and wrong answers, so the files should have one answer per
problem.
"""

import argparse
import asyncio
import time
from contextlib import aclosing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.common.report import report
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import TrainingMetric
from workers.core.llm.client import OpenAIClient
from workers.core.methods.reso.config import SearchConfig
from workers.core.methods.reso.tuning.config import TuningConfig
from workers.core.methods.reso.tuning.examples import RewardExample
from workers.core.methods.reso.tuning.gathering import EXAMPLES, Gathered
from workers.core.methods.reso.tuning.loop import Tuning, tune
from workers.core.methods.reso.tuning.reward_model import seeded
from workers.core.methods.reso.tuning.scorer import Scorer
from workers.core.pools import load_builtin_pool
from workers.core.specs import EndpointSpec, TaskSpec
from workers.core.training.context import TrainingContext

RESAMPLES = 10_000
TOLD_EVERY = 10
AT_ONCE = 8

Values = NDArray[np.float64]


def main() -> None:
    options = _options()
    config = TuningConfig(
        model=options.model, epochs=options.epochs, learning_rate=options.rate, checkpoint_every=25
    )
    learned, held_out = examples_in(options.learned), examples_in(options.held_out)
    began = time.monotonic()
    asyncio.run(_tune(_gathered(learned, options.folder), config, options.folder))
    seconds = time.monotonic() - began
    judges = _judges(config, options.folder, zero_shot=options.zero_shot)
    scores = {name: _scores(judge, held_out) for name, judge in judges.items()}
    scores["shorter"] = np.array([-float(len(example.record)) for example in held_out])
    right = np.array([example.right for example in held_out])
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    for name, values in scores.items():
        value, low, high = auc_interval(values[right], values[~right])
        rows.append((name, f"{value:.3f}", f"{low:.3f}–{high:.3f}"))
        figures |= {f"auc_{name}": value, f"auc_{name}_low": low, f"auc_{name}_high": high}
    report(
        "reward_model",
        ("judge", "AUC", "95% interval"),
        rows,
        learned=float(len(learned)),
        held_out=float(len(held_out)),
        held_out_right=float(right.mean()),
        seconds=seconds,
        **figures,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bin/studio bench reward_model")
    parser.add_argument("learned", type=Path)
    parser.add_argument("held_out", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--zero-shot", action="store_true")
    return parser.parse_args()


def _judges(config: TuningConfig, folder: Path, *, zero_shot: bool) -> dict[str, Scorer]:
    model, most = config.model, config.max_tokens
    with seeded(0, 0):  # the head begins by chance
        untuned = Scorer.for_tuning(model, max_tokens=most)
    last = max((folder / "checkpoints").glob("step-*"))
    judges = {"tuned": Scorer.tuned(last), "untuned": untuned}
    if zero_shot:
        judges["zero_shot"] = Scorer.published(model, max_tokens=most, form="chat_turns")
    return judges


def examples_in(file: Path) -> list[RewardExample]:
    with file.open() as lines:
        return [RewardExample.model_validate_json(line) for line in lines if line.strip()]


def _gathered(examples: list[RewardExample], folder: Path) -> list[TaskSpec]:
    """A task for each example. The job's folder already has the examples: no model is asked."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        Gathered(task=place, rewards=(example,)).model_dump_json()
        for place, example in enumerate(examples)
    ]
    (folder / EXAMPLES).write_text("\n".join(lines) + "\n")
    return [TaskSpec(query=example.record) for example in examples]


async def _tune(tasks: list[TaskSpec], config: TuningConfig, folder: Path) -> None:
    tuning = Tuning("reward_model", config, SearchConfig())
    losses: list[float] = []
    async with OpenAIClient() as client:
        context = TrainingContext(
            llm=client,
            endpoint=EndpointSpec(key="nobody", base_url="http://127.0.0.1:9/v1", model="nobody"),
            seed=0,
            folder=folder,
            config={},
            pool=load_builtin_pool("general"),
            embedder=MiniLMEmbedder(),
        )
        async with aclosing(tune(tasks, context, tuning)) as events:
            async for event in events:
                if not isinstance(event, TrainingMetric):
                    continue
                losses = [*losses, event.values["loss"]][-TOLD_EVERY:]
                if event.step % TOLD_EVERY == 0:
                    print(f"step {event.step}: loss {sum(losses) / len(losses):.3f}", flush=True)


def _scores(judge: Scorer, examples: list[RewardExample]) -> Values:
    """The score of each answer; NaN if the model gives none."""
    found: list[float | None] = []
    for start in range(0, len(examples), AT_ONCE):
        batch = examples[start : start + AT_ONCE]
        found += judge.rewards([example.record for example in batch])
    return np.array([np.nan if value is None else value for value in found])


def auc_interval(right: Values, wrong: Values, *, seed: int = 0) -> tuple[float, float, float]:
    """AUC and its interval. An answer that could not be judged counts as a tie."""
    wins = np.where(right[:, None] > wrong, 1.0, 0.5)  # (right, wrong)
    wins[right[:, None] < wrong] = 0.0
    rng = np.random.default_rng(seed)
    drawn = [
        wins[np.ix_(_again(rng, len(right)), _again(rng, len(wrong)))].mean()
        for _ in range(RESAMPLES)
    ]
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(wins.mean()), float(low), float(high)


def _again(rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    return rng.integers(size, size=size)


if __name__ == "__main__":
    main()

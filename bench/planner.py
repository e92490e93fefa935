"""Compares what a small planner writes before and after a tuning with LoRA.

    bin/studio bench planner FOLDER --problems gsm8k_train.jsonl [--learned 32] [--held-out 4]
        [--unseen 24] [--nodes 3] [--longest 160] [--epochs 2] [--learning-rate 1e-3] [--seed 0]

FOLDER holds a language model that transformers reads. The file holds problems in GSM8K's form.
Tasks are composed of problems with at most `longest` characters. ReSo's planner is tuned on the
task graphs of `learned` tasks, as in a training of the studio. Before and after, it plans `unseen`
tasks, which are other draws of the same problems: greedily, without a schema or a second try,
within 384 tokens. `usable` are task graphs that ReSo accepts. `same` are those of them with exactly
the dependencies of the task's own graph. Shares have 95% intervals (Wilson).
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from bench.common.report import report
from workers.core.benchmarks.compositional import compose, problems_of
from workers.core.benchmarks.gsm8k import GSM8K
from workers.core.events import TrainingMetric
from workers.core.intervals import wilson
from workers.core.llm.client import OpenAIClient
from workers.core.methods.reso.config import SearchConfig
from workers.core.methods.reso.method import ReSo
from workers.core.methods.reso.planner import INSTRUCTIONS, PlanError, own_graph, read_plan
from workers.core.specs import EndpointSpec, TaskGraphSpec, TaskSpec
from workers.core.training.context import TrainingContext

TOKENS = 384
"""Token limit of a plan."""
BATCH = 8
"""Number of questions planned at once."""
MOST = SearchConfig().max_subtasks


@dataclass(frozen=True, slots=True)
class Written:
    """The number of usable plans, and of those with the task's own dependencies."""

    usable: int
    same: int


def main() -> None:
    options = _options()
    os.environ["STUDIO_MODELS_DIR"] = str(options.folder.resolve().parent)
    lines = options.problems.read_bytes().splitlines()
    tasks = [GSM8K.to_task(orjson.loads(line)) for line in lines if line.strip()]
    problems = problems_of(task for task in tasks if len(task.query) <= options.longest)
    count = options.learned + options.held_out
    learned = list(compose(problems, count=count, nodes=options.nodes, seed=options.seed))
    unseen = list(
        compose(problems, count=options.unseen, nodes=options.nodes, seed=options.seed + 1)
    )
    with tempfile.TemporaryDirectory() as folder:
        before = written(options.folder.name, None, unseen)
        began = time.perf_counter()
        metrics, checkpoint = asyncio.run(tuned(learned, options, Path(folder)))
        seconds = (time.perf_counter() - began) / len(metrics)
        after = written(options.folder.name, checkpoint, unseen)
    _tell(options, before, after, metrics, seconds)


async def tuned(
    tasks: Sequence[TaskSpec], options: argparse.Namespace, folder: Path
) -> tuple[list[TrainingMetric], Path]:
    """Print each step, and return the checkpoint after the last."""
    config = {
        "learns": "planner",
        "model": options.folder.name,
        "held_out": options.held_out,
        "epochs": options.epochs,
        "learning_rate": options.learning_rate,
        "checkpoint_every": 10_000,
    }
    client = OpenAIClient()
    context = TrainingContext(
        llm=client,
        endpoint=EndpointSpec(key="none", base_url="http://127.0.0.1:9/v1", model="none"),
        seed=options.seed,
        folder=folder,
        config=config,
    )
    metrics = []
    try:
        async with aclosing(ReSo().train(tasks, context)) as events:
            async for event in events:
                if isinstance(event, TrainingMetric):
                    metrics.append(event)
                    print(f"step {event.step}: loss {event.values['loss']:.3f}", flush=True)
    finally:
        await client.close()
    (checkpoint,) = (folder / "checkpoints").iterdir()
    return metrics, checkpoint


def batched(tasks: Sequence[TaskSpec], size: int) -> Iterator[Sequence[TaskSpec]]:
    for start in range(0, len(tasks), size):
        yield tasks[start : start + size]


def written(name: str, checkpoint: Path | None, tasks: Sequence[TaskSpec]) -> Written:
    """Plans of the model as it is, or of the tuned model."""
    import torch

    from workers.core.methods.reso.tuning.config import ADAPTERS
    from workers.core.methods.reso.tuning.planner import instructed_model
    from workers.core.weights.adapters import adapted, load_adapter, put_tensors
    from workers.core.weights.models import load_model

    source, tokenizer = instructed_model(name)
    model: Any = load_model(source, "language")
    if checkpoint is not None:
        config, tensors = load_adapter(checkpoint, ADAPTERS["planner"])
        model = adapted(model, config, ADAPTERS["planner"])
        put_tensors(model, tensors, folder=checkpoint)
    tokenizer.padding_side = "left"  # what is written follows at once
    plans: list[str] = []
    for batch in batched(tasks, BATCH):
        prompts = tokenizer.apply_chat_template(
            [
                [
                    {"role": "system", "content": INSTRUCTIONS.format(most=MOST)},
                    {"role": "user", "content": task.query},
                ]
                for task in batch
            ],
            add_generation_prompt=True,
            padding=True,
            return_tensors="pt",
            return_dict=True,
        ).to(model.device)
        with torch.inference_mode():
            tokens = model.generate(**prompts, max_new_tokens=TOKENS, do_sample=False)
        length = prompts["input_ids"].shape[1]
        plans += tokenizer.batch_decode(tokens[:, length:], skip_special_tokens=True)
        print(f"{len(plans)} of {len(tasks)} planned", flush=True)
    return judged(plans, tasks)


def judged(plans: Sequence[str], tasks: Sequence[TaskSpec]) -> Written:
    usable = same = 0
    for plan, task in zip(plans, tasks, strict=True):
        try:
            graph = read_plan(plan, most=MOST)
        except PlanError:
            continue
        usable += 1
        same += shape(graph) == shape(own_graph(task))
    return Written(usable, same)


def shape(graph: TaskGraphSpec) -> list[set[int]]:
    """The subtasks that each subtask needs, by position."""
    places = {subtask.id: place for place, subtask in enumerate(graph.subtasks)}
    return [{places[needed] for needed in subtask.depends_on} for subtask in graph.subtasks]


def _tell(
    options: argparse.Namespace,
    before: Written,
    after: Written,
    metrics: Sequence[TrainingMetric],
    seconds: float,
) -> None:
    rows = []
    for name, found in (("before", before), ("after", after)):
        shares = (found.usable, found.same)
        rows.append((name, *(_share(count, options.unseen) for count in shares)))
    first, last = metrics[0].values, metrics[-1].values
    report(
        "planner",
        ("planner", "usable", "the task's own dependencies"),
        rows,
        usable_before=before.usable / options.unseen,
        usable_after=after.usable / options.unseen,
        same_after=after.same / options.unseen,
        loss_first=first["loss"],
        loss_last=last["loss"],
        held_out_loss=last.get("held_out_loss"),
        steps=len(metrics),
        seconds_per_step=seconds,
    )


def _share(count: int, of: int) -> str:
    interval = wilson(count, of)
    sure = f" ({interval.low:.0%} to {interval.high:.0%})" if interval else ""
    return f"{count} of {of}{sure}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare a planner before and after its tuning.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--problems", type=Path, required=True, metavar="FILE")
    parser.add_argument("--learned", type=int, default=32)
    parser.add_argument("--held-out", type=int, default=4)
    parser.add_argument("--unseen", type=int, default=24)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--longest", type=int, default=160)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()

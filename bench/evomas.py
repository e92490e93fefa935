"""Measures how near EvoMAS's adapter comes to the optimum in a world of tasks in stages.

    bin/studio bench evomas [--seeds 5] [--steps 1500] [--only trained]

The world (`bench/common/stages/world.py`) is a controlled environment without a language model. Its
optimum is known by enumeration of all workflows, so any gap is the learner's. Every figure is the
expected success divided by that of the optimum, for the test's tasks where no split is named: their
sentences are by an author who had read none of the others. It is never a result about LLMs. The
settings are those of the preset `studio`, with more tasks per step and more steps, because episodes
cost nothing here.

Controls: `untrained`, the adapter of the same seed before any step; `fixed`, the best of all
workflows that stay the same, chosen on the test's own tasks; `blind`, an adapter that is trained
and tested with the states of other tasks. The optimum can't be reached without reading the state:
`fixed` shows how far one gets. `probe` is a linear classifier of the same embeddings, fitted to the
kinds of the training's subtasks: how much of the kinds the sentences tell at all.
"""

import argparse
import statistics
import time
from collections.abc import Iterable
from dataclasses import dataclass

import torch

from bench.common.report import report
from bench.common.stages.optimum import Best, best_for
from bench.common.stages.probe import Probe
from bench.common.stages.tasks import draw_tasks
from bench.common.stages.trial import Ground, Texts, expected, trained, untrained
from workers.core.methods.evomas.training.config import EvoMasTrainingConfig

TRAINING_TASKS = 1_500
TEST_TASKS = 200
TRAINING_SEED = 1
TEST_SEED = 98
VALIDATION_SEED = 97
FIRST_SEED = 90
"""The first seed to report. Settings were chosen with seeds below it."""
TASKS_PER_STEP = 64
KINDS_OF_RUN = ("trained", "blind")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Shares of the optimum of one seed. None: not run."""

    untrained: float
    trained: float | None
    known: float | None
    """The trained adapter's for the training's tasks."""
    validation: float | None
    blind: float | None
    seconds: float


def main() -> None:
    options = _options()
    torch.set_num_threads(1)
    texts = Texts()
    test, best = _ground(texts, TEST_TASKS, TEST_SEED, "test")
    validation, validation_best = _ground(texts, TEST_TASKS, VALIDATION_SEED, "validation")
    _tell(best)
    training, training_best = _ground(texts, TRAINING_TASKS, TRAINING_SEED, "training")
    probe = Probe.fitted(training)
    config = EvoMasTrainingConfig(steps=options.steps, tasks_per_step=options.tasks)

    def outcome(seed: int) -> Outcome:
        began = time.perf_counter()
        before = expected(untrained(config, texts, seed=seed), test) / best.optimum
        after = known = unseen = None
        blind: float | None = None
        if options.only in ("", "trained"):
            learned = trained(training, config, seed=seed)
            after = expected(learned, test) / best.optimum
            known = expected(learned, training) / training_best.optimum
            unseen = expected(learned, validation) / validation_best.optimum
        seconds = time.perf_counter() - began
        if options.only in ("", "blind"):
            control = trained(training, config, seed=seed, reading="shuffled")
            blind = expected(control, test) / best.optimum
        found = Outcome(before, after, known, unseen, blind, seconds)
        print(f"seed {seed}: {found}", flush=True)
        return found

    outcomes = [outcome(seed) for seed in range(FIRST_SEED, FIRST_SEED + options.seeds)]
    shares = {}
    for split, ground, bound in (
        ("validation", validation, validation_best),
        ("test", test, best),
    ):
        shares[split] = probe.expected(ground) / bound.optimum
        known = probe.accuracy(ground)
        print(f"Probe on the {split}: {known:.2f} of the kinds, {shares[split]:.2f} of the optimum")
    _report(outcomes, best, shares["test"])


def _ground(texts: Texts, count: int, seed: int, split: str) -> tuple[Ground, Best]:
    tasks = draw_tasks(count, seed=seed, split=split)
    return Ground.of(tasks, texts), best_for([task.kinds for task in tasks])


def _tell(best: Best) -> None:
    print(f"Optimum: {best.optimum:.3f} of the tasks")
    for situation, layers in best.workflows.items():
        when = "after a failure" if situation.again else "first"
        print(f"  {situation.kind}, {when}: {' > '.join(' + '.join(layer) for layer in layers)}")
    print(f"Best fixed workflow: {' > '.join(' + '.join(layer) for layer in best.fixed_workflow)}")


def _report(outcomes: list[Outcome], best: Best, probe: float) -> None:
    """`share_of_optimum` and `blind` are medians; `worst` is the worst trained seed, `blind_best`
    the best blind one."""
    after = _those(each.trained for each in outcomes)
    blind = _those(each.blind for each in outcomes)
    before = [each.untrained for each in outcomes]
    fixed = best.fixed / best.optimum
    rows = [
        (name, f"{statistics.median(values):.3f} ({min(values):.3f}–{max(values):.3f})")
        for name, values in (
            ("trained", after),
            ("trained, on the validation's tasks", _those(each.validation for each in outcomes)),
            ("trained, on the training's tasks", _those(each.known for each in outcomes)),
            ("untrained", before),
            ("blind", blind),
        )
        if values
    ]
    report(
        "evomas",
        ("adapter", "share of the optimum: median (worst–best)"),
        [*rows, ("best fixed workflow", f"{fixed:.3f}"), ("probe", f"{probe:.3f}")],
        share_of_optimum=statistics.median(after) if after else None,
        worst=min(after, default=None),
        blind=statistics.median(blind) if blind else None,
        blind_best=max(blind, default=None),
        fixed=fixed,
        probe=probe,
        untrained=statistics.median(before),
        optimum=best.optimum,
        seeds=len(outcomes),
        seconds=max(each.seconds for each in outcomes),
    )


def _those(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bin/studio bench evomas")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1500, help="training steps of each seed")
    parser.add_argument("--tasks", type=int, default=TASKS_PER_STEP, help="tasks per step")
    parser.add_argument("--only", choices=("", *KINDS_OF_RUN), default="")
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""What of a step is kept to be looked at."""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.events import TrainingSample
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.credit import Credit
from workers.core.methods.mashost.training.rollouts import Sample
from workers.core.plain_text import clean
from workers.core.specs import TaskSpec


def kept_samples(
    step: int,
    sample: Sample,
    credit: Credit,
    *,
    tasks: Sequence[TaskSpec],
    config: MasHostTrainingConfig,
) -> list[TrainingSample]:
    """Some systems of the step, of as many queries as there are."""
    kept = []
    for index, (place, member) in enumerate(sample.spread(config.samples_per_step)):
        system = sample.groups[place][member]
        row = place * config.systems_per_query + member
        task = tasks[sample.task_indices[place]]
        length = len(system.trajectory.actions)
        kept.append(
            TrainingSample(
                step=step,
                index=index,
                query=task.query,
                reference=task.reference,
                answer=system.answer,
                correct=system.trajectory.correct,
                reward=float(credit.rewards[row]),
                tokens=int(system.trajectory.tokens),
                advantages=tuple(credit.advantages[row, :length].tolist()),
                action_rewards=tuple(credit.action_rewards[row, :length].tolist()),
                graph=system.graph,
                trace=tuple(event.model_dump(mode="json") for event in system.events),
            )
        )
    return [_storable(sample) for sample in kept]


def _storable(sample: TrainingSample) -> TrainingSample:
    """Models write what neither JSON nor a database takes. It is replaced before the training's
    state holds it: what is told again on resumption is then what was told first."""
    return TrainingSample.model_validate(clean(sample.model_dump()))

"""Chooses the samples of a step that are kept to look at."""

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
    """Some systems of the step, from as many queries as possible."""
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
    # Without text from models that JSON or a database does not accept, before the training's state
    # has it. So events that are repeated on resumption equal the first ones.
    return [TrainingSample.model_validate(clean(sample.model_dump())) for sample in kept]

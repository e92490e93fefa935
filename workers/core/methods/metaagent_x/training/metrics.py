"""What a step was like, as numbers."""

import statistics
from collections.abc import Iterable, Sequence

from workers.core.methods.metaagent_x.training.rollouts import Design, Question
from workers.core.training.tasks import share_metrics


def sampled(questions: Sequence[Question]) -> dict[str, float]:
    designs = [design for question in questions for design in question.designs]
    executions = [each for question in questions for each in question.executions]
    spoken = [each for execution in executions for each in execution.spoken]
    learned = [each for each in executions if each.learned and each.spoken]
    metrics = {
        # A design that does not run is wrong, as often as others are executed.
        "correct": _mean(_correct(design) for design in designs),
        "reward": _mean(_mean(each.reward for each in one.executions) for one in designs),
        "designer_reward": _mean(design.reward for design in designs),
        "scripts_parse": _mean(design.meaning is not None for design in designs),
        "scripts_run": _mean(_runs(design) for design in designs),
        "scripts_right": _mean(_correct(design) > 0 for design in designs),
        "shapes": float(len({design.shape for design in designs if design.shape})),
        "flat_designer": _mean(not any(d.advantage for d in q.designs) for q in questions),
        "flat_executor": _mean(not any(e.advantage for e in q.executions) for q in questions),
        "cut_designer": _mean(design.sample.finish == "length" for design in designs),
    }
    if executions:
        metrics |= {
            "calls": _mean(len(each.spoken) for each in executions),
            "tokens": _mean(each.tokens for each in executions),
        }
    if learned:
        metrics["executor_reward"] = _mean(each.reward for each in learned)
    if spoken:
        metrics["cut_executor"] = _mean(each.sample.finish == "length" for each in spoken)
        metrics["unusable_executor"] = _mean(not each.said.usable for each in spoken)
    return metrics


def held_out(questions: Sequence[Question]) -> dict[str, float]:
    """`questions`: each with one design and at most one execution."""
    right = [any(each.correct for each in question.executions) for question in questions]
    accuracy = share_metrics("held_out_accuracy", right)
    executions = [each for question in questions for each in question.executions]
    runs = sum(_runs(design) for question in questions for design in question.designs)
    return accuracy | {
        # The reward says which checkpoint is the best one.
        "held_out_reward": accuracy["held_out_accuracy"],
        "held_out_run": runs / len(questions),
        "held_out_calls": sum(len(each.spoken) for each in executions) / len(questions),
        "held_out_tokens": sum(
            len(design.sample.tokens) + sum(each.tokens for each in design.executions)
            for question in questions
            for design in question.designs
        )
        / len(questions),
    }


def tokens_of(questions: Sequence[Question]) -> int:
    designed = sum(len(d.sample.tokens) for question in questions for d in question.designs)
    return designed + sum(each.tokens for question in questions for each in question.executions)


def _correct(design: Design) -> float:
    return _mean(each.correct for each in design.executions)


def _runs(design: Design) -> bool:
    """Whether one of its executions delivered."""
    return any(each.ended.ending == "delivered" for each in design.executions)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return statistics.fmean(found) if found else 0.0

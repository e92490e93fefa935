"""An execution of a training's step as a sample to look at, as a run."""

from workers.core.events import TrainingSample
from workers.core.methods.metaagent_x.training.kept import Policies, design_row
from workers.core.methods.metaagent_x.training.rollouts import Question
from workers.core.plain_text import clean
from workers.core.rollouts.design_traces import events_of, graph_after


def sample_of(question: Question, place: int, *, step: int, policies: Policies) -> TrainingSample:
    """The best design's first execution. `place`: the question's among those of the step."""
    number, design = max(enumerate(question.designs, 1), key=lambda each: each[1].reward)
    execution = design.executions[0] if design.executions else None
    row = design_row(question, design, (place, 0, number), policies)
    trace = list(events_of(row, row.executions[0] if row.executions else None))
    spoken = execution.spoken if execution else ()
    sample = TrainingSample(
        step=step,
        index=place,
        query=question.task.query,
        reference=question.task.reference,
        answer=execution.answer if execution else None,
        correct=execution.correct if execution else False,
        reward=execution.reward if execution else 0.0,
        tokens=len(design.sample.tokens) + (execution.tokens if execution else 0),
        advantages=(design.advantage, *(execution.advantage for _ in spoken if execution)),
        action_rewards=(design.reward, *(execution.reward for _ in spoken if execution)),
        graph=graph_after(trace),
        details={"shape": design.shape, "design": number},
        trace=tuple(event.model_dump(mode="json") for event in trace),
    )
    # Without text from models that JSON or a database does not accept, before the state has it.
    return TrainingSample.model_validate(clean(sample.model_dump()))

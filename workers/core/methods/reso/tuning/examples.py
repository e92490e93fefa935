"""The examples of a tuning, as they are gathered and kept."""

import json

from pydantic import BaseModel, ConfigDict

from workers.core.methods.reso.planner import INSTRUCTIONS, read_plan
from workers.core.specs import TaskGraphSpec


class PlanExample(BaseModel):
    """What the planner reads and what it should write."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: str
    most: int
    plan: str

    @property
    def instructions(self) -> str:
        return INSTRUCTIONS.format(most=self.most)


class RewardExample(BaseModel):
    """An answer to a subtask as written by `rewards.record`, and whether it is right."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    record: str
    right: bool


def plan_example(query: str, graph: TaskGraphSpec, *, most: int) -> PlanExample:
    """Raises PlanError if the planner may not write the graph, for example because it is too
    large."""
    checked = read_plan(_written(graph), most=most)
    return PlanExample(query=query, most=most, plan=_written(checked))


def _written(graph: TaskGraphSpec) -> str:
    """The graph in the form of the planner's instructions."""
    subtasks = [
        {"id": each.id, "text": each.text, "depends_on": list(each.depends_on)}
        for each in graph.subtasks
    ]
    return json.dumps({"subtasks": subtasks}, ensure_ascii=False)

"""f_task: divides a query into subtasks in natural language and their dependencies (ReSo, §3.2).

A model writes the graph as one JSON object; servers that can enforce its schema do so. The reply is
checked. If it is no task graph, the model reads what is wrong and may repair it once. If the second
reply can't be used either, the run fails: no graph is invented.
"""

import json
from collections.abc import AsyncGenerator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workers.core.answers.thoughts import parted
from workers.core.benchmarks.answer_names import named_in, renamed
from workers.core.benchmarks.compositional import TASK_GRAPH
from workers.core.errors import MethodError
from workers.core.events import Event, PlannerAsked, PlanRejected, SubtasksPlanned
from workers.core.llm.types import ChatClient, ChatMessage, ChatRequest, ChatResult
from workers.core.mas.context import MethodContext
from workers.core.methods.reso.config import SearchConfig
from workers.core.methods.reso.given import endpoint_named
from workers.core.specs import SubtaskSpec, TaskGraphSpec, TaskSpec
from workers.core.training.context import TrainingContext

TRIES = 2
QUOTED_CHARS = 2_000
"""Length of a reply that is sent back for repair."""

INSTRUCTIONS = """\
Divide the user's question into subtasks that others will solve, one each. A subtask is a question \
that can be answered by itself once the answers that it depends on are known; write into it all \
that is needed from the question. The last subtask gives the answer to the whole question.
Reply with one JSON object and nothing else:
{{"subtasks": [{{"id": "s1", "text": "…", "depends_on": []}}, \
{{"id": "s2", "text": "…", "depends_on": ["s1"]}}]}}
A subtask depends only on subtasks before it. Where its text needs an answer, write “the answer of \
s1” in its place. Use as few as the question needs, at most {most}."""

MEND = """\
That cannot be used: {problem}
Write the whole JSON object again, and nothing else."""


LARGER = "Choose a larger model as planner, or one whose server enforces a JSON schema."


class PlanError(Exception):
    """What is wrong with a reply, in a sentence for the model and for people. The remedy is for
    people."""

    def __init__(self, problem: str, remedy: str = LARGER) -> None:
        super().__init__(problem)
        self.remedy = remedy


class PlanFailed(MethodError):
    """No reply was a task graph."""


class _Subtask(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str | int
    text: str
    depends_on: list[str | int] = Field(default_factory=list)


class _Plan(BaseModel):
    model_config = ConfigDict(extra="ignore")

    subtasks: list[_Subtask]


def schema(most: int) -> dict[str, Any]:
    """The schema of a reply, for servers that can enforce one."""
    subtask = {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "text": {"type": "string"},
            "depends_on": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["id", "text", "depends_on"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "subtasks": {"type": "array", "items": subtask, "minItems": 1, "maxItems": most}
        },
        "required": ["subtasks"],
        "additionalProperties": False,
    }


class Planner:
    """Divides one query with the planner of the options. Iterate `events`, then read `graph`."""

    def __init__(
        self,
        task: TaskSpec,
        config: SearchConfig,
        given: MethodContext | TrainingContext,
        *,
        client: ChatClient,
    ) -> None:
        self._task = task
        self._config = config
        self._given = given
        self._client = client
        self._graph: TaskGraphSpec | None = None

    @property
    def graph(self) -> TaskGraphSpec:
        """The task graph. Its last subtask is the query's answer, so it has the query's
        reference."""
        if self._graph is None:
            raise RuntimeError("nothing is planned before the events of it are through")
        return self._graph

    async def events(self) -> AsyncGenerator[Event]:
        """For the dataset's own graph only subtasks_planned. For a model's graph up to `TRIES`
        times planner_asked, each followed by plan_rejected or, once, subtasks_planned. Each comes
        as it happens, so written replies are kept if the endpoint or the budget then fails.

        Raises PlanFailed, MethodError (broken graph of the dataset, missing endpoint), LLMError,
        and BudgetExceeded.
        """
        if self._config.planner == "own" and TASK_GRAPH in self._task.metadata:
            self._graph = own_graph(self._task)
            yield SubtasksPlanned(planner="own", task_graph=self._graph)
            return
        endpoint = endpoint_named(self._config.planner_endpoint, self._given)
        most = self._config.max_subtasks
        messages = [
            ChatMessage("system", INSTRUCTIONS.format(most=most)),
            ChatMessage("user", self._task.query),
        ]
        for ordinal in range(1, TRIES + 1):
            yield PlannerAsked(endpoint=endpoint.key, model=endpoint.model, ordinal=ordinal)
            request = ChatRequest(
                messages=tuple(messages),
                max_tokens=endpoint.most_reply_tokens,  # the run's budget lowers it
                response_schema=schema(most),
            )
            result = await self._client.chat(endpoint, request)
            try:
                self._graph = self._answering(read_plan(result.text, most=most))
            except PlanError as error:
                problem, remedy = told_cut(error, request, result)
            else:
                yield SubtasksPlanned(
                    planner="llm",
                    task_graph=self._graph,
                    repaired=ordinal > 1,
                    usage=result.usage,
                    truncated=result.cut,
                )
                return
            quoted = result.text[:QUOTED_CHARS]
            yield PlanRejected(
                endpoint=endpoint.key,
                ordinal=ordinal,
                reply=quoted,
                problem=problem,
                remedy=remedy,
                usage=result.usage,
                truncated=result.cut,
            )
            messages += [
                ChatMessage("assistant", quoted),
                ChatMessage("user", MEND.format(problem=problem)),
            ]
        raise PlanFailed(
            code="no_task_graph",
            message=(
                f"The planner on “{endpoint.key}” wrote no usable task graph in two tries: "
                f"{problem}"
            ),
            remedy=remedy,
        )

    def _answering(self, graph: TaskGraphSpec) -> TaskGraphSpec:
        *before, last = graph.subtasks
        asked = last.model_copy(update={"reference": self._task.reference})
        return TaskGraphSpec(subtasks=(*before, asked))


def told_cut(error: PlanError, request: ChatRequest, result: ChatResult) -> tuple[str, str]:
    """The problem and the remedy. If the reply was cut at its token limit, the problem says so
    first."""
    if not result.cut:
        return str(error), error.remedy
    limit = result.limit or request.max_tokens
    problem = f"the reply was cut at {limit:,} tokens, and {error}"
    return problem, "Allow more tokens per reply, or choose a planner that writes less."


def own_graph(task: TaskSpec) -> TaskGraphSpec:
    """The dataset's own graph. Raises MethodError if the task has none, or a broken one."""
    try:
        return TaskGraphSpec.model_validate(task.metadata[TASK_GRAPH])
    except KeyError as error:
        raise MethodError(
            code="no_task_graph",
            message="This question has no task graph.",
            remedy="Choose the planner “llm”, or a composed dataset.",
        ) from error
    except ValidationError as error:
        raise MethodError(
            code="no_task_graph",
            message=f"The question's task graph is broken: {_first(error)}",
            remedy="Compose or import the dataset again.",
        ) from error


def read_plan(reply: str, *, most: int) -> TaskGraphSpec:
    """The task graph of a reply. Its subtasks are named s1, s2, … in an order in which each follows
    all that it depends on. Text and fences around the object are ignored. Raises PlanError."""
    written = _written(parted(reply).message)
    if not written.subtasks:
        raise PlanError("there are no subtasks.")
    for subtask in written.subtasks:
        if subtask.text.strip() and not any(letter.isalnum() for letter in subtask.text):
            raise PlanError(f"the subtask “{str(subtask.id)[:60]}” asks nothing.")
    if len(written.subtasks) > most:
        raise PlanError(
            f"there are {len(written.subtasks)} subtasks, more than {most}.",
            "Allow more subtasks in the method's settings, or choose a larger model as planner.",
        )
    ordered = _in_order(_needing_what_they_name(written.subtasks))
    names = {str(subtask.id): f"s{place}" for place, subtask in enumerate(ordered, start=1)}
    try:
        return TaskGraphSpec(
            subtasks=tuple(
                SubtaskSpec(
                    id=names[str(subtask.id)],
                    text=renamed(subtask.text.strip(), names),
                    depends_on=tuple(
                        dict.fromkeys(names[str(needed)] for needed in subtask.depends_on)
                    ),
                )
                for subtask in ordered
            )
        )
    except ValidationError as error:
        raise PlanError(_first(error)) from error


def _written(reply: str) -> _Plan:
    if not reply:
        raise PlanError("the reply is empty.")
    start = reply.find("{")
    if start < 0:
        raise PlanError("it is not a JSON object.")
    try:
        found, _ = json.JSONDecoder().raw_decode(reply[start:])
        return _Plan.model_validate(found)
    except ValidationError as error:
        raise PlanError(_first(error)) from error
    except (ValueError, RecursionError) as error:
        raise PlanError("it is not a whole JSON object.") from error


def _needing_what_they_name(subtasks: list[_Subtask]) -> list[_Subtask]:
    """A subtask needs every answer that its text names, even if the planner didn't list it."""
    ids = {str(subtask.id) for subtask in subtasks}
    needing = []
    for subtask in subtasks:
        named = named_in(subtask.text, ids)
        if str(subtask.id) in named:
            own = str(subtask.id)[:60]
            raise PlanError(f"the subtask “{own}” asks for its own answer instead of a question.")
        needs = dict.fromkeys([*map(str, subtask.depends_on), *named])
        needing.append(subtask.model_copy(update={"depends_on": list(needs)}))
    return needing


def _in_order(subtasks: list[_Subtask]) -> list[_Subtask]:
    """Each subtask after all that it depends on, otherwise in the written order."""
    known = [str(subtask.id) for subtask in subtasks]
    if len(set(known)) < len(known):
        repeated = next(name for name in known if known.count(name) > 1)
        raise PlanError(f"two subtasks have the id “{repeated[:60]}”.")
    for subtask in subtasks:
        for needed in map(str, subtask.depends_on):
            if needed not in known:
                raise PlanError(f"a subtask depends on “{needed[:60]}”, which is none of them.")
    left, ordered, done = list(subtasks), [], set[str]()
    while left:
        ready = [s for s in left if all(str(needed) in done for needed in s.depends_on)]
        if not ready:
            names = ", ".join(str(subtask.id)[:60] for subtask in left[:10])
            raise PlanError(f"these depend on each other in a circle: {names}.")
        ordered.append(ready[0])
        done.add(str(ready[0].id))
        left.remove(ready[0])
    return ordered


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}." if where else f"{first['msg']}."

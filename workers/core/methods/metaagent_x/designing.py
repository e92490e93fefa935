"""Gets the script: from the settings, or from the designer, which may correct it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from workers.core.errors import MethodError
from workers.core.events import Event, ScriptRead
from workers.core.events.scripts import ScriptOrigin, ScriptProblem
from workers.core.llm.types import ChatMessage
from workers.core.mas.agent import Team, run_agent
from workers.core.mas.context import MethodContext
from workers.core.mas.failures import EMPTY_MESSAGE
from workers.core.mas.outcome import AgentOutcome, Sampling
from workers.core.mas.prompts import prompt_room
from workers.core.mas.reply_limit import reply_limit
from workers.core.methods.metaagent_x.config import DESIGNER, MetaAgentXConfig
from workers.core.methods.metaagent_x.prompts import designer_messages, repair_messages
from workers.core.methods.seeds import sample_seed
from workers.core.scripts.language import SCRIPT_CHARS
from workers.core.scripts.meaning import Meaning, meaning_of
from workers.core.scripts.problems import ScriptError, placed
from workers.core.scripts.reading import script_in
from workers.core.specs import AgentNode, EndpointSpec, RoleSpec, TaskSpec

DESIGNER_ROLE = RoleSpec(
    key=DESIGNER,
    name="Designer",
    family=DESIGNER,
    description="Writes the team for the question as a script.",
    prompt="You design a team of agents that answers a question.",
)


def read_script(reply: str, tools: tuple[str, ...]) -> Meaning:
    """The script in a reply and what it means. `problems` says why it can't be used; what was found
    of it then stands in `script`, cut where it is too long. Never raises."""
    try:
        script = script_in(reply)
    except ScriptError as error:
        return Meaning(reply[:SCRIPT_CHARS], problems=error.problems)
    meaning = meaning_of(script, tools)
    return replace(meaning, script=script[:SCRIPT_CHARS]) if meaning.problems else meaning


class Designing:
    """One question. `meaning` is there once `events` has ended."""

    def __init__(self, task: TaskSpec, context: MethodContext, config: MetaAgentXConfig) -> None:
        self._task = task
        self._config = config
        self._context = context
        self._tools = tuple(key for key in config.tool_keys if key in context.tools)
        self._meaning: Meaning | None = None

    @property
    def meaning(self) -> Meaning:
        """Raises ValueError before `events` has ended."""
        if self._meaning is None:
            raise ValueError("there is no script yet")
        return self._meaning

    async def events(self) -> AsyncGenerator[Event]:
        """[the designer's events] · script_read, once for each try.

        Raises MethodError (no usable script; the designer failed) and BudgetExceeded.
        """
        if self._config.script.strip():
            meaning = await self._read(self._config.script)
            yield _told(meaning, "given")
        else:
            endpoint = self._endpoint()
            asked = messages = self._asked(endpoint)
            for attempt in range(1, self._config.repairs + 2):
                agent_id = DESIGNER if attempt == 1 else f"{DESIGNER}-{attempt}"
                team = self._team(endpoint)
                async with aclosing(self._said(agent_id, team, messages, attempt)) as events:
                    async for event in events:
                        yield event
                reply = _reply(team.outcomes[agent_id])
                meaning = await self._read(reply)
                yield _told(meaning, "model", agent_id, attempt)
                if not meaning.problems:
                    break
                messages = repair_messages(asked, reply, meaning.problems)
        if meaning.problems:
            raise _unusable(meaning.problems[0], given=bool(self._config.script.strip()))
        self._meaning = meaning

    async def _read(self, reply: str) -> Meaning:
        """In a thread: a hostile script takes seconds, and other runs go on meanwhile."""
        return await asyncio.to_thread(read_script, reply, self._tools)

    def _said(
        self, agent_id: str, team: Team, messages: tuple[ChatMessage, ...], attempt: int
    ) -> AsyncGenerator[Event]:
        seed = sample_seed(self._context.seed, attempt)
        return run_agent(
            AgentNode(id=agent_id, role=DESIGNER_ROLE),
            (),
            team=team,
            sampling=Sampling(self._config.temperature, seed),
            messages=messages,
        )

    def _endpoint(self) -> EndpointSpec:
        key = self._config.designer
        return (
            self._context.endpoints.get(key, self._context.endpoint)
            if key
            else (self._context.endpoint)
        )

    def _team(self, endpoint: EndpointSpec) -> Team:
        """The designer's message is a script, whatever form the task's answer has."""
        plain = replace(self._context, endpoint=endpoint, answer_form="text", entry_points=())
        return Team(self._task.query, plain)

    def _asked(self, endpoint: EndpointSpec) -> tuple[ChatMessage, ...]:
        context = self._context
        limit = reply_limit(endpoint, context.budget.max_completion_tokens_per_call)
        return designer_messages(
            self._task.query,
            tools=self._tools,
            max_calls=self._config.max_calls,
            answer_form=context.answer_form,
            room_tokens=prompt_room(endpoint.context_length, limit.tokens),
            small_model=endpoint.is_small,
        )


def _reply(outcome: AgentOutcome) -> str:
    """Raises MethodError if the designer's endpoint failed. An empty reply is one without a
    script."""
    failure = outcome.failure
    if failure is not None and failure.code != EMPTY_MESSAGE.code:
        raise MethodError(code=failure.code, message=failure.message, remedy=failure.remedy)
    return outcome.message


def _told(
    meaning: Meaning, origin: ScriptOrigin, agent_id: str | None = None, attempt: int = 1
) -> ScriptRead:
    return ScriptRead(
        origin=origin,
        agent_id=agent_id,
        attempt=attempt,
        script=meaning.script,
        problems=meaning.problems,
        drawing=meaning.drawing,
        shape=meaning.shape,
    )


def _unusable(problem: ScriptProblem, *, given: bool) -> MethodError:
    what = "The script" if given else "The designer's script"
    return MethodError(
        code="unusable_script",
        message=f"{what} can't be used. {placed(problem)}",
        remedy=problem.remedy
        if given
        else f"{problem.remedy} A larger model as the designer, or a script of your own in the "
        "settings, helps.",
    )

"""The task state and its updater μ (EvoMAS, §3.1 and B.3, Eq. 7). Pure: no model, no clock.

A subtask is DONE only once the evaluator says success (C.1). The planner may add, drop, reword and
reorder what is not done; what is done stays, with its artifact.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workers.core.events import (
    Assessment,
    StageRecord,
    StageSubtask,
    TaskState,
)
from workers.core.mas.outcome import AgentOutcome
from workers.core.specs import AgentId

Layers = Sequence[Sequence[str]]
"""Keys of roles, layer by layer."""

OBJECTIVE_CHARS = 400
ARTIFACT_CHARS = 1_500
TEXT_CHARS = 300
"""Of one line of the compact form: the embedder reads 256 tokens."""
TROUBLE_KEPT = 3
HISTORY_KEPT = 8
FIRST_HINT = "find out what the first subtask needs."


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a stage left: a message, and the agent that wrote it."""

    text: str = ""
    by: AgentId | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """A planner's line: a subtask by its id, if it names a known one, with its text and status."""

    text: str
    id: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """What agents read of a state. `found`: what agents and the evaluator wrote, which may be
    copied from a page. It is no part of the question, so that it is fenced as messages are."""

    question: str
    found: tuple[AgentOutcome, ...] = ()


def initial_state(objective: str) -> TaskState:
    """Before any plan: the task is its only subtask."""
    whole = StageSubtask(id="s1", text=objective)
    return TaskState(objective=objective, subtasks=(whole,), active="s1", hint=FIRST_HINT)


def active_of(state: TaskState) -> StageSubtask:
    """Raises ValueError once all is done."""
    for subtask in state.subtasks:
        if subtask.id == state.active:
            return subtask
    raise ValueError("no subtask is active")


def is_complete(state: TaskState) -> bool:
    return all(subtask.status == "DONE" for subtask in state.subtasks)


def updated(
    state: TaskState, layers: Layers, artifact: Artifact, assessment: Assessment, *, stage: int
) -> TaskState:
    """μ(τ, s̃, G, ξ) of Eq. 7, without the planner: the assessed subtask has its new status and
    artifact, and after a success the next open one is active."""
    active = active_of(state)
    success = assessment.verdict == "success"
    status = {"success": "DONE", "fail": "FAILED", "refine": "NEED-REFINE"}[assessment.verdict]
    left = {"artifact": shortened(artifact.text, ARTIFACT_CHARS), "by": artifact.by}
    changed = active.model_copy(
        update={
            "status": status,
            "attempts": active.attempts + 1,
            # A stage that left nothing takes nothing from what is known.
            **(left if artifact.text else {}),
        }
    )
    subtasks = tuple(changed if each.id == active.id else each for each in state.subtasks)
    record = StageRecord(
        stage=stage,
        subtask=active.id,
        layers=tuple(tuple(layer) for layer in layers),
        verdict=assessment.verdict,
    )
    trouble = (*state.trouble, shortened(assessment.feedback or assessment.verdict, TEXT_CHARS))
    following = next((each.id for each in subtasks if each.status != "DONE"), None)
    return state.model_copy(
        update={
            "subtasks": subtasks,
            "active": following if success else active.id,
            "assessment": assessment,
            "trouble": () if success else trouble[-TROUBLE_KEPT:],
            "history": (*state.history, record)[-HISTORY_KEPT:],
            "hint": _hint(assessment, following),
        }
    )


def replanned(state: TaskState, plan: Sequence[Proposed], *, most: int) -> tuple[TaskState, int]:
    """The state with the planner's plan, and how many subtasks were left out to keep to `most`.

    What is done comes first and stays as it is. A line is a known subtask if it names its id or has
    its text; then it keeps its artifact and attempts. So does the active one where a line in other
    words needs refinement. A line that claims to be DONE, but is not, is
    open; one that is FAILED is left out where others replace it. The first open one is active.
    """
    done = [each for each in state.subtasks if each.status == "DONE"]
    open_ = {each.id: each for each in state.subtasks if each.status != "DONE"}
    is_first = not state.history
    names = _Names(each.id for each in state.subtasks if not is_first)
    kept: list[StageSubtask] = []
    replaced = any(line.status not in ("FAILED", "DONE") for line in plan)
    tried = [each for each in open_.values() if each.id == state.active]
    is_named = any(_known(line, tried) for line in plan)
    for line in plan:
        text = line.text.strip()
        if replaced and line.status == "FAILED":
            continue
        if any(line.id == each.id or _same(text, each.text) for each in done):
            continue
        known = None if is_first else _known(line, open_.values())
        if known is None and line.status == "NEED-REFINE" and not is_named:
            known = open_.get(state.active or "")
        if known is not None:
            open_.pop(known.id)
            kept.append(known.model_copy(update={"text": text or known.text}))
        elif text and not any(_same(text, each.text) for each in kept):
            kept.append(StageSubtask(id=names.new(), text=text))
    if not kept:
        kept = list(open_.values())
    room = max(most - len(done), 1)
    subtasks = (*done, *kept[:room])
    active = kept[0]
    stays = active.id == state.active and not is_first
    return state.model_copy(
        update={
            "subtasks": subtasks,
            "active": active.id,
            "trouble": state.trouble if stays else (),
        }
    ), len(kept) - len(kept[:room])


def progress(state: TaskState, *, stages_left: int) -> str:
    """How far a task is, in a few words that many tasks share: what its success depends on before
    anything is known about its content."""
    left = sum(each.status != "DONE" for each in state.subtasks)
    tried = state.active is not None and active_of(state).attempts > 0
    return f"{stages_left} stages, {left} subtasks{', tried' if tried else ''}"


def compact(state: TaskState, names: Mapping[str, str]) -> tuple[str, ...]:
    """The texts that condition the adapter, one token each, centred on the active subtask (B.3):
    what to do with its status, and how it went so far. `names`: those of the roles."""
    if state.active is None:
        return (f"Done: {shortened(state.objective, TEXT_CHARS)}", "All subtasks are done.")
    active = active_of(state)
    done = [each for each in state.subtasks if each.status == "DONE"]
    went = [_STATUS[active.status]]
    if active.status != "TODO":
        tried = [each for each in state.history if each.subtask == active.id]
        roles = {role for each in tried for layer in each.layers for role in layer}
        if roles:
            listed = ", ".join(sorted(names.get(role, role) for role in roles))
            went.append(f"Tried without success: {listed}.")
        if state.trouble:
            went.append(f"Feedback: {state.trouble[-1]}")
        went.append(f"Next: {state.hint}")
    went.append(f"{len(done)} of {len(state.subtasks)} subtasks are done.")
    return (_ASKED[active.status].format(shortened(active.text, TEXT_CHARS)), " ".join(went))


_ASKED = {
    "TODO": "First attempt at a new subtask: {}",
    "NEED-REFINE": "Try again, the last answer needs refinement: {}",
    "FAILED": "Try again another way, the last attempt failed: {}",
    "DONE": "Done: {}",
}
"""The status stands beside the subtask: attention adds up what each token says alone, so what
depends on both must be in one."""
_STATUS = {
    "TODO": "The subtask has not been tried yet.",
    "NEED-REFINE": "The last answer to the subtask needs refinement.",
    "FAILED": "The last attempt at the subtask failed.",
    "DONE": "The subtask is done.",
}


def full(state: TaskState) -> Context:
    """The working context of the agents: the whole state, the subtask to work on last. Where the
    task is its only subtask it is not repeated."""
    is_whole = len(state.subtasks) == 1 and _same(state.subtasks[0].text, state.objective)
    parts = [] if is_whole else [f"The whole task:\n{state.objective}"]
    done = [each for each in state.subtasks if each.status == "DONE"]
    later = [each for each in state.subtasks if each.status != "DONE" and each.id != state.active]
    found = [
        (f"Result {place}", f"{each.text}\n{each.artifact}")
        for place, each in enumerate(done, start=1)
    ]
    if done:
        listed = ", ".join(f"“{name}”" for name, _ in found)
        parts.append(f"Done so far, with messages that say what was found: {listed}.")
    if later:
        parts.append("Left for later:\n" + "\n".join(f"- {each.text}" for each in later))
    if state.active is not None:
        active = active_of(state)
        tried = []
        if active.artifact and active.status != "DONE":
            tried.append(("Last attempt", active.artifact))
        if state.trouble:
            tried.append(("Feedback", "\n".join(f"- {each}" for each in state.trouble)))
        parts += [_TRIED[name] for name, _ in tried]
        found += tried
        parts.append(
            active.text if is_whole else f"Your subtask now, and nothing else:\n{active.text}"
        )
    return Context("\n\n".join(parts), tuple(AgentOutcome("", *each) for each in found))


_TRIED = {
    "Last attempt": "The message “Last attempt” was not enough.",
    "Feedback": "The message “Feedback” says what was wrong with it.",
}


def shortened(text: str, most: int) -> str:
    """The text in one piece: its beginning and its end if it is longer than `most` characters."""
    text = text.strip()
    if len(text) <= most:
        return text
    head = most * 2 // 3
    return f"{text[:head].rstrip()} … {text[len(text) - (most - head - 3) :].lstrip()}"


class _Names:
    def __init__(self, used: Iterable[str]) -> None:
        self._used = set(used)

    def new(self) -> str:
        number = len(self._used) + 1
        while f"s{number}" in self._used:
            number += 1
        self._used.add(f"s{number}")
        return f"s{number}"


def _known(line: Proposed, among: Iterable[StageSubtask]) -> StageSubtask | None:
    candidates = list(among)
    by_id = [each for each in candidates if each.id == line.id]
    return next(iter(by_id or [each for each in candidates if _same(line.text, each.text)]), None)


def _same(left: str, right: str) -> bool:
    return _plain(left) == _plain(right)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _hint(assessment: Assessment, following: str | None) -> str:
    if assessment.verdict == "success":
        return "answer the next subtask with what is known." if following else "give the answer."
    if assessment.verdict == "refine":
        return "keep what is right, find what is missing, and correct the rest."
    return "try another way: other agents, other sources."

"""A person leads a run: where it stops, how it continues, and forks.

    running ──held──▶ waiting ──continue──▶ queued ──claim──▶ running, as the next attempt

A waiting run holds no worker, however long it waits. Its events say what it has done, and the next
attempt takes that over. A fork is a new run. It takes over the messages of another run's agents for
which nothing changes, and asks all later agents again.
"""

from collections.abc import Iterable
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import Field

from apps.accounts.admission import owner_check
from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.names import text_errors
from apps.common.texts import within_sentence
from apps.runs.journal import run_queue_again
from apps.runs.models import Run, RunEvent
from apps.setups.drawn import DESIGN
from apps.setups.models import ENDPOINTS
from workers.core.mas.control import AGENT_EVENTS
from workers.core.specs import QUERY_MAX_CHARS, AgentId, RunControl, Spec

PAUSED = "run_paused"
ANEW = gettext_lazy("Otherwise, ask the question again as a new run.")
MESSAGE_MAX_CHARS = QUERY_MAX_CHARS


AT_ONCE = {"step": 1, "say": 0}
"""How many held agents a mode releases; all of them if the mode is not listed here."""


class Continuation(Spec):
    """How a waiting run continues.

    `go_on`: to the next breakpoint, or to its end. `step`: one more agent. `to_end`: past every
    breakpoint. `say`: only as far as `messages` lead, which people write, by agent. `agents`: which
    of the waiting agents may start; None: all of them, with `step` only the first.
    """

    mode: Literal["go_on", "step", "to_end", "say"] = "go_on"
    agents: tuple[AgentId, ...] | None = None
    messages: dict[AgentId, str] = Field(default_factory=dict)


def control_spec(run: Run) -> RunControl | None:
    """How the run's next attempt is led. None: no person leads it, as in an evaluation."""
    if run.evaluation_id is not None or run.method != DESIGN:
        return None
    control = RunControl.model_validate(run.control)
    paused = last_pause(run) if run.attempt > 1 else None
    if paused is None:
        return control
    return control.model_copy(
        update={
            "kept": agent_events(run, paused.attempt),
            "paused_at": paused.payload["at"],
            "seconds": paused.payload["seconds"],
        }
    )


def agent_events(run: Run, attempt: int) -> tuple[dict[str, Any], ...]:
    """What the agents of an attempt did, as stored, in order."""
    found = run.events.filter(attempt=attempt, kind__in=AGENT_EVENTS).order_by("seq")
    return tuple(found.values_list("payload", flat=True))


def run_continue(*, user: User, run_id: UUID, wanted: Continuation, as_admin: bool) -> Run:
    """Queues a waiting run again. Raises Run.DoesNotExist, and ApplicationError: 403 for another
    user's run, 409 for a run that does not wait, 400 for input that does not fit its agents."""
    with transaction.atomic():
        run = Run.objects.select_for_update().get(id=run_id)
        paused = _may_continue(user, run, as_admin)
        control = _led(RunControl.model_validate(run.control), run, paused.payload, wanted)
        run.control = control.model_dump(mode="json")
        # It may have waited for weeks: what was switched off or forbidden since then is not asked.
        run.renew_endpoints(remedy=ANEW)
        _forget_before(run, paused)
        Run.objects.filter(id=run_id).update(max_attempts=F("max_attempts") + 1)
        run_queue_again(run, "control", *ENDPOINTS)
    return run


def _forget_before(run: Run, paused: RunEvent) -> None:
    """Deletes earlier paused attempts, because the waiting attempt has all that they did. Otherwise
    a run that is stepped through would grow with the square of its agents."""
    held = run.events.filter(kind=PAUSED, attempt__lt=paused.attempt).values("attempt")
    run.events.filter(attempt__in=list(held.values_list("attempt", flat=True))).delete()


def _may_continue(user: User, run: Run, as_admin: bool) -> RunEvent:
    """What the run waits for: its last pause."""
    remedy = _("Ask its owner or an admin to continue it, or fork the run.")
    run_owner_check(run, user, as_admin, remedy)
    paused = last_pause(run)
    if run.status != Run.Status.WAITING or paused is None:
        raise conflict(
            "run_not_waiting",
            _("The run is %(status)s. Only a waiting run can continue.")
            % {"status": within_sentence(run.get_status_display())},
            _("Look at the run again. Someone may have continued it already."),
        )
    return paused


def _led(control: RunControl, run: Run, paused: dict[str, Any], wanted: Continuation) -> RunControl:
    asked, waiting = set(paused["asked"]), list(paused["waiting_for"])
    unasked = _("%(agent_id)s is not an agent that waits for a person's message.")
    errors = list(message_errors(wanted.messages, asked, unasked))
    held = [agent_id for agent_id in waiting if agent_id not in asked]
    chosen = held[: AT_ONCE.get(wanted.mode)]
    if wanted.agents is not None:
        chosen = list(wanted.agents)
        if unknown := sorted(set(chosen) - set(held)):
            message = _("The run does not hold %(agents)s. %(choice)s") % {
                "agents": ", ".join(unknown[:5]),
                "choice": _choice(held),
            }
            errors.append(FieldError("agents", "not_held", message))
    if not errors and not chosen and not wanted.messages:
        message = _("The run waits for a person's message for %(agents)s. Write it.") % {
            "agents": ", ".join(sorted(asked))
        }
        errors.append(FieldError("messages", "nothing_to_go_on_with", message))
    if errors:
        raise ApplicationError.of_fields(errors)
    if wanted.mode == "to_end":
        chosen = [node["id"] for node in run.method_config["graph"]["nodes"]]
    return control.model_copy(
        update={
            "step": control.step if wanted.mode == "say" else wanted.mode == "step",
            "released": tuple(dict.fromkeys([*control.released, *chosen])),
            "written": {**control.written, **wanted.messages},
        }
    )


def message_errors(
    messages: dict[AgentId, str], known: Iterable[AgentId], unknown: str
) -> Iterable[FieldError]:
    """Errors of messages that a person writes for agents. `unknown` is the message for an
    `%(agent_id)s` that is not in `known`."""
    for agent_id, text in messages.items():
        field = f"messages.{agent_id}"
        if agent_id not in known:
            yield FieldError(field, "unknown_agent", unknown % {"agent_id": agent_id})
        elif not text.strip():
            yield FieldError(field, "empty", _("Write what the agent says."))
        else:
            yield from text_errors(field, text, MESSAGE_MAX_CHARS)


def _choice(held: list[str]) -> str:
    return (
        _("Choose from: %(agents)s.") % {"agents": ", ".join(held)}
        if held
        else _("It waits only for a person's message.")
    )


def run_owner_check(run: Run, user: User, as_admin: bool, remedy: str) -> None:
    message = _("This run belongs to someone else.")
    owner_check(run, user, as_admin=as_admin, message=message, remedy=remedy)


def last_pause(run: Run) -> RunEvent | None:
    """None: the run never waited for a person."""
    return run.events.filter(kind=PAUSED).order_by("-attempt", "-seq").first()

"""Answers calls in a thread of its own: those to one model side by side, token by token."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workers.core.errors import MethodError
from workers.core.rollouts.base import Finish, Ids, Messages
from workers.core.rollouts.serving.models import Models

if TYPE_CHECKING:
    import torch

    from workers.core.rollouts.decoding import Decoding
    from workers.core.rollouts.policies import Policy

log = logging.getLogger(__name__)

MOST_ROWS = 64
"""Limit of the calls to one model that are answered at once; others wait."""
HELD_BACK = "\N{REPLACEMENT CHARACTER}"
"""Ends a text whose last character is not whole yet."""


@dataclass(frozen=True, slots=True)
class Ended:
    finish: Finish
    prompt_tokens: int
    completion_tokens: int


@dataclass(slots=True, eq=False)
class Call:
    """`tell` gets each new piece of text, and `end` how the call ended, both in the thread that
    answers. `gone` is set by a caller who no longer waits. `max_tokens` None: what fits."""

    model: str
    messages: Messages
    max_tokens: int | None
    temperature: float
    seed: int
    tell: Callable[[str], None]
    end: Callable[[Ended | MethodError], None]
    gone: threading.Event = field(default_factory=threading.Event)
    prompt: Ids = ()
    most: int = 0
    tokens: list[int] = field(default_factory=list)
    window: int = 0
    told: int = 0
    """Tokens whose text was told. It is read anew from `window` on, where the piece before began: a
    token alone may read differently."""
    generator: torch.Generator | None = None

    def prepare(self, policy: Policy) -> None:
        """Raises MethodError for a call that the model can't answer."""
        self.prompt = policy.prompt(self.messages)
        room = policy.length - len(self.prompt)
        self.most = room if self.max_tokens is None else self.max_tokens
        if room < max(1, self.most):  # never cut below the limit that was asked for
            raise MethodError(
                code="context_length_exceeded",
                message=(
                    f"This model's maximum context length is {policy.length} tokens. However, you "
                    f"requested {len(self.prompt) + max(0, self.most)} tokens ({len(self.prompt)} "
                    f"in the messages, {max(0, self.most)} in the completion)."
                ),
            )


class Batch:
    """The calls to one model that are under way."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._waiting: list[Call] = []
        self._calls: list[Call] = []
        self._decoding: Decoding | None = None

    @property
    def is_idle(self) -> bool:
        return not self._waiting and not self._calls

    def take(self, call: Call) -> None:
        self._waiting.append(call)

    def step(self) -> None:
        """Takes in who waits, and gives each call its next token."""
        with self._policy.at_work():
            self._admit()
            if self._decoding is not None:
                chosen = self._drawn(self._decoding)
                pairs = zip(self._calls, chosen, strict=True)
                self._go_on(self._decoding, chosen, [self._given(*pair) for pair in pairs])

    def break_off(self, error: MethodError) -> None:
        for call in (*self._waiting, *self._calls):
            call.end(error)
        self._waiting, self._calls, self._decoding = [], [], None

    def _admit(self) -> None:
        from workers.core.rollouts.decoding import Decoding

        self._waiting = [call for call in self._waiting if not call.gone.is_set()]
        if self._decoding is not None and not self._decoding.can_be_joined:
            return
        room = MOST_ROWS - len(self._calls)
        taken, self._waiting = self._waiting[:room], self._waiting[room:]
        if not taken:
            return
        prompts = [call.prompt for call in taken]
        begun = Decoding(self._policy.model, prompts, pad=self._policy.pad)
        if self._decoding is None:
            self._decoding = begun
        else:
            self._decoding.join(begun)
        self._calls += taken

    def _drawn(self, decoding: Decoding) -> list[int]:
        import torch

        from workers.core.rollouts.generating import drawn

        chosen: list[int] = decoding.logits.argmax(dim=-1).tolist()
        alone = torch.zeros(1, dtype=torch.long, device=decoding.logits.device)
        for row, call in enumerate(self._calls):
            if call.temperature > 0:
                if call.generator is None:
                    call.generator = torch.Generator(device=decoding.logits.device)
                    call.generator.manual_seed(call.seed)
                here = decoding.logits[row : row + 1]
                one, _ = drawn(here, alone, call.temperature, call.generator)
                chosen[row] = int(one)
        return chosen

    def _given(self, call: Call, token: int) -> bool:
        """Whether the call ends with this token."""
        call.tokens.append(token)
        stops = token in self._policy.stops
        ends = stops or len(call.tokens) >= call.most
        text = self._policy.text(tuple(call.tokens[call.window :]))
        if ends or not text.endswith(HELD_BACK):
            before = self._policy.text(tuple(call.tokens[call.window : call.told]))
            if piece := text[len(before) :]:
                call.tell(piece)
            call.window, call.told = call.told, len(call.tokens)
        if ends:
            finish: Finish = "stop" if stops else "length"
            call.end(Ended(finish, len(call.prompt), len(call.tokens)))
        return ends or call.gone.is_set()

    def _go_on(self, decoding: Decoding, chosen: list[int], ends: list[bool]) -> None:
        import torch

        left = [row for row, end in enumerate(ends) if not end]
        self._calls = [self._calls[row] for row in left]
        if not left:
            self._decoding = None
            return
        device = decoding.logits.device
        if len(left) < len(ends):
            decoding.keep(torch.tensor(left, device=device))
        decoding.feed(torch.tensor([chosen[row] for row in left], device=device))


class Answering:
    """The thread. `ask` may be called from any other one. `first` is run in it before any call is
    taken: only one thread may load models, since transformers mixes up what two load at once."""

    def __init__(self, models: Models, *, first: Callable[[Models], None] | None = None) -> None:
        self._models = models
        self._first = first
        self._asked: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._batches: dict[str, Batch] = {}
        self._thread = threading.Thread(target=self._run, name="answering", daemon=True)
        self._thread.start()

    def ask(self, call: Call) -> None:
        self._asked.put(call)

    def close(self) -> None:
        """Ends the thread once it has taken in what was asked; open calls get no more."""
        self._asked.put(None)
        self._thread.join()

    def _run(self) -> None:
        if self._first is not None:
            try:
                self._first(self._models)
            except Exception:  # whatever it is, calls get their own errors
                log.exception("the start failed")
        while True:
            asked = [] if self._batches else [self._asked.get()]
            while not self._asked.empty():
                asked.append(self._asked.get())
            for call in asked:
                if call is None:
                    return
                self._begin(call)
            for name, batch in list(self._batches.items()):
                self._step(name, batch)

    def _begin(self, call: Call) -> None:
        try:
            policy = self._models.of(call.model)
            call.prepare(policy)
        except MethodError as error:
            call.end(error)
        except Exception as error:
            call.end(_broken(call.model, error))
        else:
            self._batches.setdefault(call.model, Batch(policy)).take(call)

    def _step(self, name: str, batch: Batch) -> None:
        try:
            batch.step()
        except Exception as error:
            batch.break_off(_broken(name, error))
        if batch.is_idle:
            del self._batches[name]


def _broken(name: str, error: Exception) -> MethodError:
    """For callers, who wait. The thread goes on: it serves other models, too."""
    log.exception("the model “%s” broke", name, exc_info=error)
    return MethodError(code="internal_error", message=f"The model “{name}” broke.")

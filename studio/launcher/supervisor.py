"""Starts each part as soon as what it needs is ready, keeps all alive, stops them all.

One thread starts and reaps every process. A separate thread checks whether a part is ready (it only
looks, it starts nothing), so slow parts do not hold up others. A part that ends is started again
after a pause that doubles. If an essential part keeps ending, the whole studio stops with the
reason. Any other part is tried again once a minute, and the rest of the studio keeps running.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from studio.launcher.errors import INTERRUPTED, LauncherError
from studio.launcher.process import LOG_LIMIT_BYTES, Child, Command, rotate, stop_all
from studio.launcher.signals import Signals

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
CRASHES, CRASH_WINDOW = 5, 60.0
RESTING_PAUSE = 60.0
"""Seconds between tries of a part that keeps crashing and is not essential."""
ROTATE_SECONDS = 30.0
# A look that fails is repeated this often: a start is a matter of seconds.
LOOK_SECONDS = 0.05

Say = Callable[[str], None]
"""Shows a line to the person at the terminal."""

# What a part is called in a sentence, where its short name is none.
TITLES = {
    "postgres-init": "database set-up",
    "postgres": "database",
    "migrate": "update of the database's tables",
    "bootstrap": "set-up of users, roles and endpoints",
    "web": "web server",
    "llm": "embedded model",
    "models": "own models",
    "beat": "scheduler",
    "trainer": "training worker",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A process of the studio, or (with `once`) a step that must succeed before others start.

    `ready` is called until it returns True, for at most `within` seconds. `explain` turns the last
    lines of the log into a sentence for people, or None. It is called only for a process that ended
    by itself before it was ready. `before` runs just before each start, `after` once a step has
    succeeded. A step is skipped if `due` returns False; `due` raises LauncherError if the studio
    must not start. The studio still shows its pages without a part that is not `essential`.
    """

    command: Command
    needs: tuple[str, ...] = ()
    once: bool = False
    ready: Callable[[], bool] = lambda: True
    within: float = 60.0
    explain: Callable[[list[str]], str | None] = lambda _lines: None
    before: Callable[[], None] = lambda: None
    after: Callable[[], None] = lambda: None
    due: Callable[[Say], bool] = lambda _say: True
    essential: bool = True

    @property
    def name(self) -> str:
        return self.command.name

    @property
    def title(self) -> str:
        return TITLES.get(self.name, self.name)


@dataclass(slots=True)
class State:
    """The state of one part."""

    child: Child | None = None
    is_ready: bool = False
    problem: str | None = None
    crashes: list[float] = field(default_factory=list)
    pause: float = FIRST_PAUSE
    start_at: float = 0.0
    resting: bool = False


class Supervisor:
    """Use as: `with Signals() as signals: Supervisor(parts, signals, say).run()`."""

    def __init__(self, parts: list[Part], signals: Signals, say: Callable[[str], None]) -> None:
        self.parts = parts
        self.signals = signals
        self.say = say
        self.states = {part.name: State() for part in parts}
        self.rotated = time.monotonic()

    def ready(self, *names: str) -> bool:
        """True when these parts (all parts, if none is named) are ready."""
        return all(self.states[name].is_ready for name in names or self.states)

    def pending(self) -> list[str]:
        """The parts being started now, for progress."""
        return [n for n, s in self.states.items() if s.child is not None and not s.is_ready]

    def step(self, seconds: float = 1.0) -> None:
        """Wait for the next event and act on it. Raises when the studio must end."""
        self._start_due()
        self.signals.wait(min(seconds, self._next_start()))
        if self.signals.ending is not None:
            raise LauncherError("Stopped.", code=INTERRUPTED)
        self._reap()
        self._check_readiness()
        self._rotate()

    def run_until(self, done: Callable[[], bool]) -> None:
        while not done():
            self.step()

    def stop(self, *, without: str = "") -> None:
        """Stop all parts, those that use others first."""
        waves: dict[int, list[Child]] = {}
        for part in self.parts:
            child = self.states[part.name].child
            if child is not None and part.name != without:
                waves.setdefault(self._depth(part), []).append(child)
        for depth in sorted(waves, reverse=True):
            stop_all(waves[depth])

    def restart(self, *, without: str) -> None:
        """Stop all parts but one and its set-up. The next steps start them again in order."""
        self.stop(without=without)
        for name in self.states:
            if name not in (without, f"{without}-init"):
                self.states[name] = State()

    def _depth(self, part: Part) -> int:
        """0 for parts that need none (databases), 1 for parts that use these."""
        return int(bool([name for name in part.needs if name != "postgres-init"]))

    def _start_due(self) -> None:
        now = time.monotonic()
        for part in self.parts:
            state = self.states[part.name]
            waiting = state.child is None and not state.is_ready and now >= state.start_at
            if waiting and all(self.states[name].is_ready for name in part.needs):
                if part.once and not part.due(self.say):
                    state.is_ready = True
                    self.signals.nudge()
                    continue
                part.before()
                state.child = Child(part.command)
                self._look(part, state, state.child)

    def _look(self, part: Part, state: State, child: Child) -> None:
        """Check in the background whether this child is ready. A step ends by itself."""

        def asking() -> None:
            deadline = time.monotonic() + part.within
            while state.child is child and child.process.returncode is None:
                try:
                    if part.ready():
                        state.is_ready = state.child is child
                        break
                except LauncherError as error:
                    state.problem = str(error)
                    break
                if time.monotonic() > deadline:
                    state.problem = f"The {part.title} did not start within {part.within:.0f} s."
                    break
                time.sleep(LOOK_SECONDS)
            self.signals.nudge()

        if not part.once:
            threading.Thread(target=asking, daemon=True).start()

    def _next_start(self) -> float:
        """Seconds until the next crashed part is due again."""
        now = time.monotonic()
        pauses = [s.start_at - now for s in self.states.values() if s.child is None]
        return max(0.01, min([pause for pause in pauses if pause > 0], default=60.0))

    def _reap(self) -> None:
        for part in self.parts:
            state = self.states[part.name]
            if state.child is None:
                continue
            code = state.child.poll()
            if code is None:
                continue
            child, state.child = state.child, None
            child.kill()
            if part.once and code == 0:
                part.after()
                state.is_ready = True
            elif part.once:
                why = explained(part, child, code, was_ready=False)
                raise LauncherError(why or last_words(part, child, f"failed (exit code {code})"))
            else:
                self._crashed(part, state, child, code)

    def _crashed(self, part: Part, state: State, child: Child, code: int) -> None:
        now = time.monotonic()
        was_ready, state.is_ready = state.is_ready, False
        state.problem = None
        state.crashes = [at for at in state.crashes if now - at < CRASH_WINDOW] + [now]
        why = explained(part, child, code, was_ready=was_ready)
        often = len(state.crashes) >= CRASHES
        if part.essential and (why or often):
            happened = f"stopped {len(state.crashes)} times in a minute"
            raise LauncherError(why or last_words(part, child, happened))
        if often or (state.resting and not was_ready):
            self._rest(part, state, child, why)
            return
        if now - child.started > CRASH_WINDOW:
            state.pause = FIRST_PAUSE
        state.resting = False
        state.start_at = now + state.pause
        verb = "stopped" if was_ready else "did not start"
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        self.say(f"The {part.title} {verb} ({how}). Starting it again in {state.pause:g} s.")
        state.pause = min(state.pause * 2, LONGEST_PAUSE)

    def _rest(self, part: Part, state: State, child: Child, why: str | None) -> None:
        """Try again later. Say so the first time only."""
        state.start_at = time.monotonic() + RESTING_PAUSE
        if not state.resting:
            reason = why or last_words(part, child, "keeps stopping")
            self.say(
                f"{reason} The rest of the studio keeps running. The studio tries to start it "
                f"again every {RESTING_PAUSE:.0f} s."
            )
        state.resting = True

    def _check_readiness(self) -> None:
        """If a part did not start in time, end the studio, or only the part if not essential."""
        for part in self.parts:
            state = self.states[part.name]
            if state.problem is None:
                continue
            if part.essential:
                raise LauncherError(state.problem)
            self.say(state.problem)
            state.problem = None
            if state.child is not None:
                state.child.kill()

    def _rotate(self) -> None:
        if time.monotonic() - self.rotated > ROTATE_SECONDS:
            self.rotated = time.monotonic()
            for part in self.parts:
                rotate(part.command.log, LOG_LIMIT_BYTES)


def explained(part: Part, child: Child, code: int, *, was_ready: bool) -> str | None:
    """Why a process ended before it was ready, in its own words. None if a signal ended it.

    A part that was ready once was in order: a crash is no reason to doubt what it stores. Its log
    also holds lines about other programs' requests, and these do not explain why it was killed.
    """
    return part.explain(child.last_words()) if code > 0 and not was_ready else None


def last_words(part: Part, child: Child, happened: str) -> str:
    lines = child.last_words()
    last = f" Its last log line: {lines[-1][:300]}" if lines else ""
    return f"The {part.title} {happened}.{last} Its log is {part.command.log}."

"""What a cold start shows: replies in the prompts of a training."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from workers.core.rollouts.base import Messages, PolicyEngine, Weighted, demonstration

K = TypeVar("K")


@dataclass(slots=True)
class Demonstrations(Generic[K]):
    """By policy or role. A reply longer than what may be sampled is left out and counted: when
    sampled, it would be cut."""

    found: dict[K, list[Weighted]]
    too_long: int = 0

    def add(
        self, key: K, engine: PolicyEngine, policy: str, messages: Messages, said: str, *, most: int
    ) -> None:
        answer = engine.answer(policy, said)
        if len(answer) > most:
            self.too_long += 1
            return
        shown = demonstration(engine.prompt(policy, messages), answer)
        self.found[key].append(Weighted(shown, 1.0))

    def told(self) -> dict[str, float]:
        count = sum(map(len, self.found.values()))
        return {"too_long": self.too_long / max(1, count + self.too_long)}

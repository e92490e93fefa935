"""Defines a policy engine, and what it takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from workers.core.errors import MethodError

if TYPE_CHECKING:
    from torch import Tensor

Ids = tuple[int, ...]
"""Token ids."""
Finish = Literal["stop", "length"]
Normaliser = Literal["sequence", "tokens"]
OptimiserName = Literal["adamw", "muon"]
"""What has equal weight in the mean of the loss: each answer (GRPO, arXiv 2402.03300), or each
token."""
Messages = Sequence[Mapping[str, str]]
"""A chat: `role` and `content` of each message."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to sample. While training, `temperature` is 1 and nothing is cut off, or what is sampled
    would not be the policy (its ratio would be biased). 0 takes the most probable token."""

    max_tokens: int
    seed: int
    temperature: float = 1.0


@dataclass(frozen=True, slots=True)
class Sample:
    """What a policy answered. `logprobs` are those of exactly these `tokens`, natural, at sampling;
    a demonstration, which no policy sampled, has none. The tokens end with the one that stopped it,
    unless it was cut (`length`)."""

    prompt: Ids
    tokens: Ids
    logprobs: tuple[float, ...]
    version: int
    finish: Finish


@dataclass(frozen=True, slots=True)
class Weighted:
    """A sample to learn from. `advantage` holds for each of its tokens."""

    sample: Sample
    advantage: float


class LossOptions(BaseModel):
    """The clipped objective over tokens (AT-GRPO, arXiv 2510.11062, Eq. 2)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    epsilon: float = Field(
        default=0.2, gt=0, lt=1, description="Clip of the ratio: 1 − ε to 1 + ε (Eq. 2)."
    )
    kl: float = Field(
        default=0.0, ge=0, description="Weight of the KL divergence from the starting policy."
    )
    normaliser: Normaliser = Field(
        default="sequence",
        description="What has equal weight in the mean: each answer, or each token.",
    )
    importance_limit: float = Field(
        default=2.0,
        gt=0,
        description="Limit of the importance weight, where the sampler's probabilities differ.",
    )


@dataclass(frozen=True, slots=True)
class Told:
    """What an update was like. `entropy` is in nats per token, `kl` the estimate k3 from the
    starting policy. `mismatch`: the mean of |log-probability here − at sampling|, under the weights
    that sampled, of the `compared` tokens; 0 if there are none."""

    loss: float
    entropy: float
    clipped: float
    kl: float
    mismatch: float
    compared: int
    tokens: int


def demonstration(prompt: Ids, tokens: Ids) -> Sample:
    return Sample(prompt, tokens, (), version=-1, finish="stop")


class EngineError(MethodError):
    """An engine can't go on."""


def not_finite(what: str) -> EngineError:
    """`what`: “loss of the policy “tool” is nan”."""
    return EngineError(
        code="not_finite",
        message=f"The {what}, which is not a finite number.",
        remedy=(
            "Start a new training with a lower learning rate, from the last checkpoint if "
            "there is one. If this was the first step, choose another model."
        ),
    )


class BrokenOff(EngineError):
    """The training is paused, cancelled or given back in the middle of its step."""

    def __init__(self) -> None:
        super().__init__(
            code="broken_off",
            message="The training was stopped in the middle of a step.",
            remedy="Resume it to repeat the step, or start a new training.",
        )


class PolicyEngine(Protocol):
    """One for each training. It knows policies by name. Its methods block. One that is made with
    `broken_off` ends soon once that is set: what samples or learns raises BrokenOff."""

    @property
    def policies(self) -> tuple[str, ...]: ...

    @property
    def seconds_publishing(self) -> float:
        """That publications took so far. One may reach a server only before its next sample."""
        ...

    def prompt(self, policy: str, messages: Messages) -> Ids:
        """The ids of a chat, up to where the policy's answer begins."""
        ...

    def answer(self, policy: str, text: str) -> Ids:
        """The ids of an answer that a policy did not sample, with the one that ends it."""
        ...

    def text(self, policy: str, tokens: Ids) -> str:
        """For people and environments, without special tokens. It is never tokenised again."""
        ...

    def sample(
        self, policy: str, prompts: Sequence[Ids], n: int, sampling: Sampling
    ) -> list[list[Sample]]:
        """`n` samples for each prompt. The same arguments and weights give the same samples."""
        ...

    def logprobs(self, policy: str, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        """Those of the samples' tokens under the policy's weights of now."""
        ...

    def start_logprobs(self, policy: str, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        """Those under the weights that the KL divergence is measured from (`anchor`)."""
        ...

    def forward_backward(
        self, policy: str, batch: Sequence[Weighted], options: LossOptions
    ) -> Told:
        """Adds the gradient of the batch's loss. A demonstration's is that of −Â log π."""
        ...

    def optim_step(self, policy: str, learning_rate: float) -> float:
        """One step with the gradients so far, which are then gone. Returns their norm before it was
        clipped."""
        ...

    def anchor(self, policy: str) -> None:
        """From here on the KL divergence is measured from the weights of now."""
        ...

    def publish(self, policy: str) -> int:
        """From here on `sample` uses the weights of now. Returns their version."""
        ...

    def tensors(self, policy: str) -> dict[str, Tensor]:
        """A copy of what the policy has learned, on the CPU."""
        ...

    def save(self, folder: Path) -> None:
        """Weights, optimisers and versions, in files that run no code when they are read."""
        ...

    def load(self, folder: Path) -> None: ...

    def close(self) -> None:
        """Gives back what it holds elsewhere. It is not used again."""
        ...

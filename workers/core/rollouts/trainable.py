"""Which models an update can be computed of: it packs answers that begin alike into one row
(`packing`), and takes logits from the last layer itself. With a model that keeps a state along the
row, counts positions itself or changes its logits, that would be another policy than the one that
sampled, and nothing else would say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from workers.core.errors import MethodError
from workers.core.rollouts.base import EngineError
from workers.core.rollouts.packing import Answer, Packed, packs
from workers.core.weights.files import first_line

if TYPE_CHECKING:
    from workers.core.rollouts.policies import Policy

PLAIN = {"final_logit_softcapping": None, "logits_scaling": 1, "logit_scale": 1}
"""Settings of models that change their logits after the last layer, and what changes nothing."""
APART, APART_16 = 1e-3, 0.3
"""Limits of the mean difference of a token's log-probability, packed and alone: with numbers of 32
and of 16 bits. Qwen2.5-Coder-0.5B has 1e-5 and 0.06: made-up tokens are unlikely ones."""
REMEDY = "Choose another model, such as one of Llama's or Qwen's kind."


def require_trainable(
    name: str, policy: Policy, told: Callable[[Any, Packed], tuple[Tensor, Tensor]]
) -> None:
    """`name`: the model's. `told`: how an update computes. Raises MethodError."""
    for setting, plain in PLAIN.items():
        value = getattr(policy.model.config, setting, None)
        if value is not None and value != plain:
            raise MethodError(
                code="logits_not_plain",
                message=(
                    f"The model “{name}” changes its logits after its last layer ({setting} is "
                    f"{value}), and a training does not know how."
                ),
                remedy=REMEDY,
            )
    limit = APART if policy.model.dtype == torch.float32 else APART_16
    try:
        apart = _apart(policy, told)
    except (RuntimeError, ValueError, AttributeError, TypeError) as error:
        raise _not_trainable(
            name,
            "it can't compute several answers in one row, where an update says which token sees "
            f"which and where each stands ({first_line(error)})",
        ) from error
    if apart > limit:  # NaN passes: the first step refuses it
        raise _not_trainable(
            name,
            "it does not say the same of answers that are computed together as of each alone. "
            f"Log-probabilities differ by {apart:.2g} a token, and the limit is {limit:g}",
        )


@torch.no_grad()
def _apart(policy: Policy, told: Callable[[Any, Packed], tuple[Tensor, Tensor]]) -> float:
    """The mean difference of the log-probabilities of made-up answers' tokens."""
    answers = _made_up(int(policy.model.config.vocab_size))
    with policy.at_work():
        alone = [_alone(policy.model, answer) for answer in answers]
        (packed,) = packs(answers, pad=policy.pad, most=10**9)
        together = told(policy.model, packed)[0].cpu()
    pairs = zip(packed.answers, together, strict=True)
    return float(torch.cat([(row - alone[at]).abs() for at, row in pairs]).mean())


def _made_up(words: int) -> Sequence[Answer]:
    """Three answers to one prompt, two of which begin alike. All are equally long."""
    ids = [(7 + 11 * at) % words for at in range(24)]
    prompt, rest = tuple(ids[:9]), ids[9:]
    return [
        (prompt, tuple(rest[:5])),
        (prompt, tuple(rest[:3] + rest[5:7])),
        (prompt, tuple(rest[7:12])),
    ]


def _alone(model: Any, answer: Answer) -> Tensor:
    prompt, said = answer
    logits = model(input_ids=torch.tensor([prompt + said], device=model.device)).logits.float()
    told = torch.log_softmax(logits[0, len(prompt) - 1 : -1], dim=-1).cpu()
    return told.gather(-1, torch.tensor(said).unsqueeze(-1)).squeeze(-1)


def _not_trainable(name: str, why: str) -> MethodError:
    return MethodError(
        code="model_not_trainable",
        message=f"The model “{name}” can't be trained here: {why}.",
        remedy=REMEDY,
    )


def require_length(policy: Policy, tokens: int) -> None:
    """`tokens`: most of a prompt and its answer. Raises EngineError if the model reads less, or
    does not see all of them at once: in an update each token sees all before it."""
    config = policy.model.config
    slides = "sliding_attention" in (getattr(config, "layer_types", None) or ["sliding_attention"])
    window = getattr(config, "sliding_window", None) if slides else None
    most = min(policy.length, window or policy.length)
    if tokens > most:
        raise EngineError(
            code="model_too_short",
            message=(
                f"A prompt and its answer may have {tokens} tokens together, and the model takes "
                f"{most}."
            ),
            remedy="Choose fewer tokens an answer, or a model that reads more.",
        )

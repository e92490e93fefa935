"""The engine that samples and trains in this process, with transformers, PEFT and torch.

Policies that adapt the same model share its weights; each has an adapter of its own, and only the
one at work is under an optimiser. A policy may also train all weights of a model of its own.

In this process sampling uses the weights of now at all times; `publish` only counts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from workers.core.rl.tokens import TokenLoss, token_loss, token_weights
from workers.core.rollouts.base import (
    EngineError,
    Ids,
    LossOptions,
    Messages,
    Sample,
    Sampling,
    Told,
    Weighted,
)
from workers.core.rollouts.generating import generate
from workers.core.rollouts.packing import Answer, Packed, packs
from workers.core.rollouts.policies import Policy, PolicySpec, load_policies

MOST_AREA = 4_000_000
"""Limit of Σ L² of the rows that are computed at once."""
MOST_ROWS = 512
"""Limit of the rows that are sampled at once."""
GRADIENT_LIMIT = 1.0
STATE = "engine.json"
LOWER_RATE = "Start a new training from the last checkpoint, with a lower learning rate."


@dataclass(slots=True)
class _Learning:
    policy: Policy
    optimiser: torch.optim.AdamW
    reference: dict[str, Tensor]
    version: int = 0
    steps: int = 0


class InProcessEngine:
    """Raises MethodError for a model that can't be used, and EngineError for a `start` that another
    model or rank has learned."""

    def __init__(self, policies: Mapping[str, PolicySpec], *, seed: int) -> None:
        self._policies: dict[str, _Learning] = {}
        for name, policy in load_policies(policies, seed=seed).items():
            for parameter in policy.learned.values():
                parameter.requires_grad_(True)
            optimiser = torch.optim.AdamW(policy.learned.values(), weight_decay=0.0)
            self._policies[name] = _Learning(policy, optimiser, policy.tensors())

    @property
    def policies(self) -> tuple[str, ...]:
        return tuple(self._policies)

    def prompt(self, policy: str, messages: Messages) -> Ids:
        return self._policies[policy].policy.prompt(messages)

    def answer(self, policy: str, text: str) -> Ids:
        return self._policies[policy].policy.answer(text)

    def text(self, policy: str, tokens: Ids) -> str:
        return self._policies[policy].policy.text(tokens)

    def sample(
        self, policy: str, prompts: Sequence[Ids], n: int, sampling: Sampling
    ) -> list[list[Sample]]:
        own = self._policies[policy]
        at_once = max(1, MOST_ROWS // n)
        made: list[list[Sample]] = []
        with own.policy.at_work():
            for start in range(0, len(prompts), at_once):
                made += generate(
                    own.policy.model,
                    prompts[start : start + at_once],
                    n,
                    Sampling(sampling.max_tokens, sampling.seed + start, sampling.temperature),
                    stop=own.policy.stops,
                    pad=own.policy.pad,
                    version=own.version,
                )
        return made

    def logprobs(self, policy: str, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        own = self._policies[policy]
        found: list[tuple[float, ...]] = [()] * len(samples)
        with torch.no_grad(), own.policy.at_work():
            for packed in self._packs(own, samples):
                told, _ = _told(own.policy.model, packed)
                for place, each in zip(packed.answers, told.tolist(), strict=True):
                    found[place] = tuple(each[: len(samples[place].tokens)])
        return found

    def forward_backward(
        self, policy: str, batch: Sequence[Weighted], options: LossOptions
    ) -> Told:
        own = self._policies[policy]
        samples = [each.sample for each in batch]
        tokens = sum(len(sample.tokens) for sample in samples)
        sums = dict.fromkeys(("loss", "entropy", "clipped", "kl", "mismatch"), 0.0)
        with own.policy.at_work():
            packed_all = list(self._packs(own, samples))
            references = self._references(own, packed_all) if options.kl > 0 else None
            for number, packed in enumerate(packed_all):
                reference = None if references is None else references[number]
                loss, told = self._loss(own, packed, batch, options, reference)
                torch.autograd.backward(loss.loss)
                share = float(packed.present.sum()) / max(1, tokens)
                sums["loss"] += told.pop("loss")
                told |= {"clipped": float(loss.clipped), "kl": float(loss.kl)}
                for name, value in told.items():
                    sums[name] += value * share
        if not math.isfinite(sums["loss"]):
            self._forget(own)
            raise EngineError(
                code="loss_not_finite",
                message=f"The loss of the policy “{policy}” is {sums['loss']}.",
                remedy=LOWER_RATE,
            )
        return Told(**sums, tokens=tokens)

    def _packs(self, own: _Learning, samples: Sequence[Sample]) -> Iterator[Packed]:
        answers: list[Answer] = [(sample.prompt, sample.tokens) for sample in samples]
        return packs(answers, pad=own.policy.pad, most=MOST_AREA)

    @staticmethod
    def _references(own: _Learning, packs: Sequence[Packed]) -> list[Tensor]:
        """The log-probabilities under the weights that the policy started with."""
        with torch.no_grad(), _reference(own):
            return [_told(own.policy.model, packed)[0] for packed in packs]

    def _loss(
        self,
        own: _Learning,
        packed: Packed,
        batch: Sequence[Weighted],
        options: LossOptions,
        reference: Tensor | None,
    ) -> tuple[TokenLoss, dict[str, float]]:
        device = own.policy.model.device
        logprobs, entropy = _told(own.policy.model, packed)
        present = packed.present.to(device)
        chosen = [batch[place] for place in packed.answers]
        old = logprobs.detach().clone()
        for place, each in enumerate(chosen):
            told = each.sample.logprobs
            old[place, : len(told)] = torch.tensor(told, device=device)
        advantages = torch.tensor([[each.advantage] for each in chosen], device=device)
        weights = token_weights(
            present,
            per_answer=options.normaliser == "sequence",
            answers=len(batch),
            tokens=sum(len(each.sample.tokens) for each in batch),
        )
        loss = token_loss(
            logprobs,
            old,
            advantages,
            weights,
            epsilon=options.epsilon,
            kl=options.kl,
            reference=reference,
        )
        count = present.sum().clamp(min=1)
        mismatch = ((logprobs.detach() - old).abs() * present).sum() / count
        # The ratio of a demonstration is 1, whatever the policy says of it: its loss tells more.
        shown = torch.tensor([[not each.sample.logprobs] for each in chosen], device=device)
        unseen = (1 - logprobs.detach()) * advantages * weights * shown
        return loss, {
            "loss": float(loss.loss.detach() + unseen.sum()),
            "entropy": float((entropy * present).sum() / count),
            "mismatch": float(mismatch),
        }

    def optim_step(self, policy: str, learning_rate: float) -> float:
        own = self._policies[policy]
        for group in own.optimiser.param_groups:
            group["lr"] = learning_rate
        norm = float(torch.nn.utils.clip_grad_norm_(own.policy.learned.values(), GRADIENT_LIMIT))
        if not math.isfinite(norm):
            self._forget(own)
            raise EngineError(
                code="gradient_not_finite",
                message=f"The gradient of the policy “{policy}” is {norm}.",
                remedy=LOWER_RATE,
            )
        own.optimiser.step()
        self._forget(own)
        own.steps += 1
        return norm

    @staticmethod
    def _forget(own: _Learning) -> None:
        own.optimiser.zero_grad(set_to_none=True)

    def anchor(self, policy: str) -> None:
        own = self._policies[policy]
        own.reference = own.policy.tensors()

    def publish(self, policy: str) -> int:
        own = self._policies[policy]
        own.version += 1
        return own.version

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        told = {}
        for name, own in self._policies.items():
            save_file(own.policy.tensors(), folder / f"{name}.safetensors")
            moments: dict[str, Tensor] = {}
            for key, parameter in own.policy.learned.items():
                for kind, value in own.optimiser.state.get(parameter, {}).items():
                    moments[f"{kind}.{key}"] = value.detach().cpu().clone().reshape(value.shape)
            save_file(moments, folder / f"{name}.optimiser.safetensors")
            save_file(own.reference, folder / f"{name}.reference.safetensors")
            told[name] = {"version": own.version, "steps": own.steps}
        (folder / STATE).write_text(json.dumps(told, indent=2))

    def load(self, folder: Path) -> None:
        told = json.loads((folder / STATE).read_text())
        for name, own in self._policies.items():
            own.policy.put(load_file(folder / f"{name}.safetensors"))
            own.reference = load_file(folder / f"{name}.reference.safetensors")
            moments = load_file(folder / f"{name}.optimiser.safetensors")
            for key, parameter in own.policy.learned.items():
                state = {
                    kind: moments[f"{kind}.{key}"]
                    for kind in ("step", "exp_avg", "exp_avg_sq")
                    if f"{kind}.{key}" in moments
                }
                if state:
                    own.optimiser.state[parameter] = {
                        kind: value if kind == "step" else value.to(parameter.device)
                        for kind, value in state.items()
                    }
            own.version, own.steps = told[name]["version"], told[name]["steps"]

    def tensors(self, policy: str) -> dict[str, Tensor]:
        return self._policies[policy].policy.tensors()


@contextmanager
def _reference(own: _Learning) -> Iterator[None]:
    """With the weights that the policy started with."""
    now = {key: parameter.detach().clone() for key, parameter in own.policy.learned.items()}
    own.policy.put(own.reference)
    try:
        yield
    finally:
        own.policy.put(now)


def _told(model: Any, packed: Packed) -> tuple[Tensor, Tensor]:
    """The log-probability of each token of the answers, and the entropy where it was chosen: both
    (A, T)."""
    device = model.device
    sees = torch.zeros(packed.sees.shape, dtype=model.dtype)
    sees = sees.masked_fill(~packed.sees, torch.finfo(model.dtype).min)
    hidden = model.get_decoder()(
        input_ids=packed.ids.to(device),
        attention_mask=sees.to(device),
        position_ids=packed.positions.to(device),
        use_cache=False,
    ).last_hidden_state
    picked = hidden[packed.row.to(device), packed.column.to(device)]
    logits = model.get_output_embeddings()(picked).float()
    told = torch.log_softmax(logits, dim=-1)
    chosen = told.gather(-1, packed.tokens.to(device).unsqueeze(-1)).squeeze(-1)
    entropy = -(told.detach().exp() * told.detach()).sum(dim=-1)
    return chosen, entropy

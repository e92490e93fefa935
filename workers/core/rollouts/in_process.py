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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from workers.core.weights import nano
from workers.core.weights.models import find_model, load_model, load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

MOST_AREA = 4_000_000
"""Limit of Σ L² of the rows that are computed at once."""
MOST_ROWS = 512
"""Limit of the rows that are sampled at once."""
GRADIENT_LIMIT = 1.0
STATE = "engine.json"
LOWER_RATE = "Start a new training from the last checkpoint, with a lower learning rate."


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """A policy and what it trains: an adapter of this `rank` on a model, or, with 0, all its
    weights. `start` holds what an earlier training has learned, as `tensors` tells it."""

    model: str
    rank: int = 0
    alpha: int = 0
    start: Mapping[str, Tensor] | None = None


@dataclass(slots=True)
class _Policy:
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    adapter: str | None
    learned: dict[str, Tensor]
    optimiser: torch.optim.AdamW
    reference: dict[str, Tensor]
    stops: frozenset[int]
    version: int = 0
    steps: int = 0
    _places: dict[str, Tensor] = field(default_factory=dict)


class InProcessEngine:
    """Raises MethodError for a model that can't be used, and EngineError for a `start` that another
    model or rank has learned."""

    def __init__(self, policies: Mapping[str, PolicySpec], *, seed: int) -> None:
        self._policies: dict[str, _Policy] = {}
        shared: dict[str, PreTrainedModel] = {}
        for name, spec in policies.items():
            self._policies[name] = _loaded(name, spec, shared, seed)

    @property
    def policies(self) -> tuple[str, ...]:
        return tuple(self._policies)

    def prompt(self, policy: str, messages: Messages) -> Ids:
        ids = self._policies[policy].tokenizer.apply_chat_template(
            [dict(message) for message in messages],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=False,
        )
        return tuple(ids)

    def answer(self, policy: str, text: str) -> Ids:
        tokenizer = self._policies[policy].tokenizer
        return (*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id)

    def text(self, policy: str, tokens: Ids) -> str:
        told: str = self._policies[policy].tokenizer.decode(tokens, skip_special_tokens=True)
        return told

    def sample(
        self, policy: str, prompts: Sequence[Ids], n: int, sampling: Sampling
    ) -> list[list[Sample]]:
        own = self._policies[policy]
        at_once = max(1, MOST_ROWS // n)
        made: list[list[Sample]] = []
        with _at_work(own):
            for start in range(0, len(prompts), at_once):
                made += generate(
                    own.model,
                    prompts[start : start + at_once],
                    n,
                    Sampling(sampling.max_tokens, sampling.seed + start, sampling.temperature),
                    stop=own.stops,
                    pad=int(own.tokenizer.pad_token_id),
                    version=own.version,
                )
        return made

    def logprobs(self, policy: str, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        own = self._policies[policy]
        found: list[tuple[float, ...]] = [()] * len(samples)
        with torch.no_grad(), _at_work(own):
            for packed in self._packs(own, samples):
                told, _ = _told(own.model, packed)
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
        with _at_work(own):
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

    def _packs(self, own: _Policy, samples: Sequence[Sample]) -> Iterator[Packed]:
        answers: list[Answer] = [(sample.prompt, sample.tokens) for sample in samples]
        return packs(answers, pad=int(own.tokenizer.pad_token_id), most=MOST_AREA)

    @staticmethod
    def _references(own: _Policy, packs: Sequence[Packed]) -> list[Tensor]:
        """The log-probabilities under the weights that the policy started with."""
        with torch.no_grad(), _reference(own):
            return [_told(own.model, packed)[0] for packed in packs]

    def _loss(
        self,
        own: _Policy,
        packed: Packed,
        batch: Sequence[Weighted],
        options: LossOptions,
        reference: Tensor | None,
    ) -> tuple[TokenLoss, dict[str, float]]:
        device = own.model.device
        logprobs, entropy = _told(own.model, packed)
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
        norm = float(torch.nn.utils.clip_grad_norm_(own.learned.values(), GRADIENT_LIMIT))
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
    def _forget(own: _Policy) -> None:
        own.optimiser.zero_grad(set_to_none=True)

    def anchor(self, policy: str) -> None:
        own = self._policies[policy]
        own.reference = _copied(own.learned)

    def publish(self, policy: str) -> int:
        own = self._policies[policy]
        own.version += 1
        return own.version

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        told = {}
        for name, own in self._policies.items():
            save_file(_copied(own.learned), folder / f"{name}.safetensors")
            moments: dict[str, Tensor] = {}
            for key, parameter in own.learned.items():
                for kind, value in own.optimiser.state.get(parameter, {}).items():
                    moments[f"{kind}.{key}"] = value.detach().cpu().clone().reshape(value.shape)
            save_file(moments, folder / f"{name}.optimiser.safetensors")
            save_file(own.reference, folder / f"{name}.reference.safetensors")
            told[name] = {"version": own.version, "steps": own.steps}
        (folder / STATE).write_text(json.dumps(told, indent=2))

    def load(self, folder: Path) -> None:
        told = json.loads((folder / STATE).read_text())
        for name, own in self._policies.items():
            _put(own.learned, load_file(folder / f"{name}.safetensors"))
            own.reference = load_file(folder / f"{name}.reference.safetensors")
            moments = load_file(folder / f"{name}.optimiser.safetensors")
            for key, parameter in own.learned.items():
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
        return _copied(self._policies[policy].learned)


def _loaded(name: str, spec: PolicySpec, shared: dict[str, PreTrainedModel], seed: int) -> _Policy:
    source = find_model(spec.model)
    tokenizer = load_tokenizer(source)
    adapter = name if spec.rank else None
    model: Any
    if adapter is None:
        model = load_model(source, "language")
        if spec.model == nano.NAME and spec.start is None:
            nano.begin_anew(model, seed)
        learned = dict(model.named_parameters())
    else:
        from peft import LoraConfig, get_peft_model

        lora = LoraConfig(
            r=spec.rank,
            lora_alpha=spec.alpha or 2 * spec.rank,
            lora_dropout=0.0,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        )
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            if spec.model in shared:
                model = shared[spec.model]
                model.add_adapter(adapter, lora)
            else:
                model = get_peft_model(load_model(source, "language"), lora, adapter_name=adapter)
                shared[spec.model] = model
        learned = {
            key.replace(f".{adapter}.", "."): parameter
            for key, parameter in model.named_parameters()
            if ".lora_" in key and f".{adapter}." in key
        }
    if spec.start is not None:
        _put(learned, spec.start)
    for parameter in learned.values():
        parameter.requires_grad_(True)
    return _Policy(
        model=model,
        tokenizer=tokenizer,
        adapter=adapter,
        learned=learned,
        optimiser=torch.optim.AdamW(learned.values(), weight_decay=0.0),
        reference=_copied(learned),
        stops=_stops(model, tokenizer),
    )


def _stops(model: Any, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """The tokens that end an answer, of the model's and the tokenizer's configuration."""
    told = model.generation_config.eos_token_id
    ends = told if isinstance(told, list) else [told]
    return frozenset(int(end) for end in (*ends, tokenizer.eos_token_id) if end is not None)


@contextmanager
def _at_work(own: _Policy) -> Iterator[None]:
    """With the policy's adapter alone. Nothing is dropped out, so that a policy is trained as it
    sampled."""
    if own.adapter is not None:
        own.model.set_adapter(own.adapter)
    own.model.eval()
    yield


@contextmanager
def _reference(own: _Policy) -> Iterator[None]:
    """With the weights that the policy started with."""
    now = {key: parameter.detach().clone() for key, parameter in own.learned.items()}
    _put(own.learned, own.reference)
    try:
        yield
    finally:
        _put(own.learned, now)


@torch.no_grad()
def _put(learned: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> None:
    """Raises EngineError, and then has put nothing."""
    for key in sorted(learned.keys() | tensors.keys()):
        have = tuple(tensors[key].shape) if key in tensors else None
        want = tuple(learned[key].shape) if key in learned else None
        if have != want:
            raise EngineError(
                code="other_weights",
                message=f"The saved weights do not fit: “{key}” is {have or 'missing'} there, and "
                f"{want or 'missing'} in the model.",
                remedy="Choose the model and the rank that they were trained with.",
            )
    for key, parameter in learned.items():
        parameter.copy_(tensors[key])


def _copied(learned: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {key: each.detach().cpu().clone().contiguous() for key, each in learned.items()}


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

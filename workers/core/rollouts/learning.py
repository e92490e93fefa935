"""The updating half of an engine: models with optimisers, in this process, with transformers, PEFT
and torch. An engine adds where samples come from.

Policies that adapt the same model share its weights; each has an adapter of its own, and only the
one at work is under an optimiser. A policy may also train all weights of a model of its own.

Where torch.distributed is on, each of its ranks has an equal learner and gets equal calls. A batch
is split among them, and its gradients are added up, so that all end with equal weights.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import torch
import torch.distributed as ranks
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from workers.core.rl.tokens import token_loss, token_weights
from workers.core.rollouts.base import (
    BrokenOff,
    EngineError,
    Ids,
    LossOptions,
    Messages,
    Sample,
    Told,
    Weighted,
)
from workers.core.rollouts.memory import MOST_AREA, most_in_a_row, most_tokens
from workers.core.rollouts.optimiser import Optimiser
from workers.core.rollouts.packing import Answer, Packed, packs
from workers.core.rollouts.policies import Policy, PolicySpec, load_policies
from workers.core.rollouts.trainable import require_length, require_trainable
from workers.core.weights.local import described

log = logging.getLogger(__name__)

STATE = "engine.json"
now = datetime.now  # local, as chat templates take it
PARTS = ("loss", "entropy", "clipped", "kl", "mismatch", "compared")
MISMATCH_WARNED, MISMATCH_LIMIT = 0.01, 0.1
"""Of the mean difference of a token's log-probability, at sampling and here, in a whole batch."""


@dataclass(slots=True)
class Learning:
    """A policy with what it is trained with. `reference`: its weights that the KL divergence is
    measured from. `published`: the optimiser's `steps` when its version was published. `sampler`:
    its weights of then; None: they are not needed."""

    policy: Policy
    optimiser: Optimiser
    reference: dict[str, Tensor]
    version: int = 0
    steps: int = 0
    published: int = 0
    sampler: dict[str, Tensor] | None = None


@dataclass(frozen=True, slots=True)
class _Whole:
    """The batch that a part belongs to."""

    options: LossOptions
    answers: int
    tokens: int


@dataclass(frozen=True, slots=True)
class _Part:
    """What is computed at once. `chosen`: what was packed, in the order of its answers; `counts`
    (A, 1): how often each is there. (A, T): `reference`, the log-probabilities that the KL
    divergence is measured from, and `before`, those under the weights that sampled; None: not
    needed, or those of now."""

    packed: Packed
    chosen: list[Weighted]
    counts: Tensor
    reference: Tensor | None
    before: Tensor | None


class Learner:
    """Raises MethodError for a model that can't be used, and EngineError for a `start` that another
    model or rank has learned."""

    seconds_publishing = 0.0
    samples_itself = True
    """Whether this process samples."""
    sampled_by = "the sampler"
    differs_remedy = (
        "Start a new training with “exact”, from the latest checkpoint if there is one. If it has "
        "“exact”, or trains all weights, report this: the two should be equal."
    )

    def __init__(
        self,
        policies: Mapping[str, PolicySpec],
        *,
        seed: int,
        broken_off: threading.Event | None = None,
    ) -> None:
        self._broken_off = broken_off or threading.Event()
        self._began = now()
        """What prompts take for now, also of a training that goes on tomorrow."""
        # cuDNN's gradient of attention with a mask is not finite at some lengths (pytorch#196678).
        torch.backends.cuda.enable_cudnn_sdp(False)
        self._policies: dict[str, Learning] = {}
        for name, policy in load_policies(policies, seed=seed).items():
            for parameter in policy.learned.values():
                parameter.requires_grad_(True)
            optimiser = Optimiser(
                policy.learned, of=f"the policy “{name}”", name=policies[name].optimiser
            )
            self._policies[name] = Learning(policy, optimiser, policy.tensors())
            self._put_at_work(self._policies[name])
            require_trainable(policies[name].model, policy, _told)

    @property
    def policies(self) -> tuple[str, ...]:
        return tuple(self._policies)

    def learning(self, policy: str) -> Learning:
        return self._policies[policy]

    def _agrees(self, own: Learning) -> bool:
        """Whether sampling gives the log-probabilities that an update computes. Those of another
        program differ a little, and so do those of 16 bits, which other shapes round otherwise. Its
        tokens are then weighed by truncated importance sampling (arXiv 2110.00641)."""
        return self.samples_itself and own.policy.model.dtype == torch.float32

    def _put_at_work(self, own: Learning) -> None:
        """From here on the weights of now sample."""
        own.published = own.steps
        own.sampler = None if self._agrees(own) else own.policy.tensors()

    def _require_use(self) -> None:
        """Raises BrokenOff."""
        if self._broken_off.is_set():
            raise BrokenOff

    def prompt(self, policy: str, messages: Messages) -> Ids:
        return self._policies[policy].policy.prompt(messages, now=self._began)

    def answer(self, policy: str, text: str) -> Ids:
        return self._policies[policy].policy.answer(text)

    def text(self, policy: str, tokens: Ids) -> str:
        return self._policies[policy].policy.text(tokens)

    def logprobs(self, policy: str, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        own = self._policies[policy]
        _require_length(own, samples)
        found: list[tuple[float, ...]] = [()] * len(samples)
        with torch.no_grad(), own.policy.at_work():
            for packed in self._packs(own, samples):
                self._require_use()
                told, _ = _told(own.policy.model, packed)
                for place, each in zip(packed.answers, told.tolist(), strict=True):
                    found[place] = tuple(each[: len(samples[place].tokens)])
        return found

    def start_logprobs(self, policy: str, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        own = self._policies[policy]
        with other_weights(own.policy, own.reference):
            return self.logprobs(policy, samples)

    def forward_backward(
        self, policy: str, batch: Sequence[Weighted], options: LossOptions
    ) -> Told:
        own = self._policies[policy]
        # Of the whole batch: where only one rank raised, the others would wait for its gradients.
        _require_length(own, [each.sample for each in batch])
        whole = _Whole(options, len(batch), sum(len(each.sample.tokens) for each in batch))
        sums = torch.zeros(len(PARTS), dtype=torch.float64)
        with own.policy.at_work():
            for part in self._parts(policy, _share(batch), options):
                self._require_use()
                loss, told = self._loss(own, part, whole)
                torch.autograd.backward(loss)
                sums += torch.tensor([told[name] for name in PARTS])
        told = dict(zip(PARTS, _summed(sums).tolist(), strict=True))
        own.optimiser.require_finite("loss", told["loss"])
        told["mismatch"] /= max(1, told["compared"])
        compared = round(told.pop("compared"))
        self._require_near(policy, told["mismatch"])
        return Told(**told, compared=compared, tokens=whole.tokens)

    def _require_near(self, policy: str, mismatch: float) -> None:
        """Raises EngineError where sampler and trainer are too far apart to learn from."""
        if mismatch > MISMATCH_LIMIT:
            self._policies[policy].optimiser.forget()
            raise EngineError(
                code="sampler_differs",
                message=(
                    f"For the samples of the policy “{policy}”, log-probabilities of "
                    f"{self.sampled_by} and of the trainer differ by {mismatch:.3g} a token. The "
                    f"limit is {MISMATCH_LIMIT}."
                ),
                remedy=self.differs_remedy,
            )
        if mismatch > MISMATCH_WARNED:
            log.warning(
                "%s: %s and the trainer differ by %.3g a token", policy, self.sampled_by, mismatch
            )

    def _packs(self, own: Learning, samples: Sequence[Sample]) -> Iterator[Packed]:
        answers: list[Answer] = [(sample.prompt, sample.tokens) for sample in samples]
        model, rank = own.policy.model, own.policy.rank
        shape = described(model.config.to_dict())
        on_gpu = model.device.type == "cuda"
        tokens = most_tokens(shape, rank=rank, each=model.dtype.itemsize)
        row = most_in_a_row(tokens, on_gpu=on_gpu)
        return packs(answers, pad=own.policy.pad, most=MOST_AREA, tokens=tokens, row=row)

    def _parts(
        self, policy: str, batch: Sequence[Weighted], options: LossOptions
    ) -> Iterator[_Part]:
        own = self._policies[policy]
        counts = _counted(batch)
        batch = list(counts)
        packed_all = list(self._packs(own, [each.sample for each in batch]))
        references = _under(own, own.reference if options.kl > 0 else None, packed_all)
        # None: those of now, or the samples have what an update would compute.
        sampler = own.sampler if own.steps != own.published else None
        befores = _under(own, sampler, packed_all)
        for packed, reference, before in zip(packed_all, references, befores, strict=True):
            chosen = [batch[place] for place in packed.answers]
            often = torch.tensor([[float(counts[each])] for each in chosen])
            yield _Part(packed, chosen, often, reference, before)

    def _loss(self, own: Learning, part: _Part, whole: _Whole) -> tuple[Tensor, dict[str, float]]:
        """The part's share of the loss, and of what is told of the whole."""
        options, packed = whole.options, part.packed
        device = own.policy.model.device
        logprobs, entropy = _told(own.policy.model, packed)
        now = logprobs.detach()
        present, counts = packed.present.to(device), part.counts.to(device)
        shown = torch.tensor([[not each.sample.logprobs] for each in part.chosen], device=device)
        sampled = now.clone()
        for place, each in enumerate(part.chosen):
            told = each.sample.logprobs
            sampled[place, : len(told)] = torch.tensor(told, device=device)
        agrees = self._agrees(own)
        if agrees:
            before, old, importance = now, sampled, None
        else:
            before = now if part.before is None else torch.where(shown, now, part.before)
            old, importance = before, (before - sampled).exp().clamp(max=options.importance_limit)
        # Of an older version they differ because the weights do, and where nothing is kept of
        # earlier weights, too.
        can_compare = not agrees or own.steps == own.published
        fresh = torch.tensor(
            [
                [can_compare and bool(each.sample.logprobs) and each.sample.version == own.version]
                for each in part.chosen
            ],
            device=device,
        )
        advantages = torch.tensor([[each.advantage] for each in part.chosen], device=device)
        weights = token_weights(
            present,
            per_answer=options.normaliser == "sequence",
            answers=whole.answers,
            tokens=whole.tokens,
        )
        weights, present = weights * counts, present * counts
        loss = token_loss(
            logprobs,
            old,
            advantages,
            weights,
            epsilon=options.epsilon,
            kl=options.kl,
            reference=part.reference,
            importance=importance,
        )
        # The ratio of a demonstration is 1, whatever the policy says of it: its loss tells more.
        unseen = (1 - now) * advantages * weights * shown

        def mean(told: Tensor) -> float:
            return float((told * present).sum()) / max(1, whole.tokens)

        return loss.loss, {
            "loss": float(loss.loss.detach() + unseen.sum()),
            "entropy": mean(entropy),
            "clipped": mean(loss.clipped),
            "kl": mean(loss.kl),
            "mismatch": float(((before - sampled).abs() * fresh * present).sum()),
            "compared": float((fresh * present).sum()),
        }

    def optim_step(self, policy: str, learning_rate: float) -> float:
        own = self._policies[policy]
        _sum_gradients(own)
        norm = own.optimiser.step(learning_rate)
        own.steps += 1
        return norm

    def publish(self, policy: str) -> int:
        own = self._policies[policy]
        own.version += 1
        self._put_at_work(own)
        return own.version

    def anchor(self, policy: str) -> None:
        own = self._policies[policy]
        own.reference = own.policy.tensors()

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        told = {}
        for name, own in self._policies.items():
            save_file(own.policy.tensors(), folder / f"{name}.safetensors")
            save_file(own.optimiser.tensors(), folder / f"{name}.optimiser.safetensors")
            save_file(own.reference, folder / f"{name}.reference.safetensors")
            told[name] = {"version": own.version, "steps": own.steps}
        state = {"began": self._began.isoformat(), "policies": told}
        (folder / STATE).write_text(json.dumps(state, indent=2))

    def load(self, folder: Path) -> None:
        state = json.loads((folder / STATE).read_text())
        if "began" in state:
            self._began = datetime.fromisoformat(state["began"])
        told = state["policies"] if "began" in state else state  # of before dates were kept
        for name, own in self._policies.items():
            own.policy.put(load_file(folder / f"{name}.safetensors"))
            own.reference = load_file(folder / f"{name}.reference.safetensors")
            own.optimiser.put(load_file(folder / f"{name}.optimiser.safetensors"))
            own.version, own.steps = told[name]["version"], told[name]["steps"]
            self._put_at_work(own)

    def close(self) -> None:
        """There is nothing to give back."""

    def tensors(self, policy: str) -> dict[str, Tensor]:
        return self._policies[policy].policy.tensors()


def _require_length(own: Learning, samples: Sequence[Sample]) -> None:
    """Raises EngineError for samples that are longer than the model reads."""
    longest = max((len(each.prompt) + len(each.tokens) for each in samples), default=0)
    require_length(own.policy, longest)


def _counted(batch: Sequence[Weighted]) -> dict[Weighted, int]:
    """Each answer once, and how often it is there: a sure policy says the same again and again.
    Where equal answers differ in how rounding told their probabilities, the first one's count."""
    first: dict[tuple[object, ...], Weighted] = {}
    counts: Counter[Weighted] = Counter()
    for each in batch:
        own = each.sample
        key = own.prompt, own.tokens, own.version, bool(own.logprobs), each.advantage
        counts[first.setdefault(key, each)] += 1
    return counts


def _share(batch: Sequence[Weighted]) -> Sequence[Weighted]:
    """This rank's part of a batch. Answers to one prompt stand together."""
    if not ranks.is_initialized():
        return batch
    order = sorted(batch, key=lambda each: each.sample.prompt)
    rank, size = ranks.get_rank(), ranks.get_world_size()
    return order[len(order) * rank // size : len(order) * (rank + 1) // size]


def _summed(values: Tensor) -> Tensor:
    """Over all ranks, if there are several."""
    if ranks.is_initialized():
        ranks.all_reduce(values)
    return values


def _sum_gradients(own: Learning) -> None:
    if not ranks.is_initialized():
        return
    gradients = []
    for parameter in own.policy.learned.values():
        if parameter.grad is None:  # this rank's part was empty
            parameter.grad = torch.zeros_like(parameter)
        gradients.append(parameter.grad)
    vector_to_parameters(_summed(parameters_to_vector(gradients)), gradients)


@torch.no_grad()
def _under(
    own: Learning, tensors: Mapping[str, Tensor] | None, packs: Sequence[Packed]
) -> list[Tensor | None]:
    """The log-probabilities under other weights than those of now. None for None."""
    if tensors is None:
        return [None] * len(packs)
    with other_weights(own.policy, tensors):
        return [_told(own.policy.model, packed)[0] for packed in packs]


@contextmanager
def other_weights(policy: Policy, tensors: Mapping[str, Tensor]) -> Iterator[None]:
    now = {key: parameter.detach().clone() for key, parameter in policy.learned.items()}
    policy.put(tensors)
    try:
        yield
    finally:
        policy.put(now)


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

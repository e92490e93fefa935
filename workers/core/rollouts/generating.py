"""Samples from a causal language model: the prompt is computed once for all its branches.

Legend: P prompts, n branches of each, B = P·n rows, V words.

A row that has ended leaves the batch once half of the rows have, so short answers do not pay for
long ones. The randomness of a row depends only on the seed and the rows beside it, so the same call
gives the same samples.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from workers.core.rollouts.base import Ids, Sample, Sampling
from workers.core.rollouts.decoding import Decoding

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@torch.no_grad()
def generate(
    model: PreTrainedModel,
    prompts: Sequence[Ids],
    n: int,
    sampling: Sampling,
    *,
    stop: Collection[int],
    pad: int,
    version: int = 0,
) -> list[list[Sample]]:
    """`n` samples for each of the prompts; none of them is empty."""
    device = model.device
    generator = torch.Generator(device=device).manual_seed(sampling.seed)
    decoding = Decoding(model, prompts, pad=pad)
    decoding.repeat(n)
    rows = torch.arange(len(prompts) * n, device=device)
    """The row of the whole batch that each row here is."""
    tokens = torch.full((len(rows), sampling.max_tokens), pad, dtype=torch.long, device=device)
    logprobs = torch.zeros(tokens.shape, device=device)
    lengths = torch.full((len(rows),), sampling.max_tokens, device=device)
    stopped = torch.zeros(len(rows), dtype=torch.bool, device=device)
    stops = torch.tensor(sorted(stop), device=device)
    for step in range(sampling.max_tokens):
        chosen, probability = drawn(decoding.logits, sampling.temperature, generator)
        live = ~stopped[rows]
        tokens[rows[live], step] = chosen[live]
        logprobs[rows[live], step] = probability[live]
        ends = live & torch.isin(chosen, stops)
        lengths[rows[ends]] = step + 1
        stopped[rows[ends]] = True
        live &= ~ends
        left = int(live.sum())
        if left == 0 or step == sampling.max_tokens - 1:
            break
        if left <= len(rows) // 2:
            kept = live.nonzero().flatten()
            decoding.keep(kept)
            rows, chosen = rows[kept], chosen[kept]
        decoding.feed(chosen)
    made = [
        Sample(
            prompt=prompts[row // n],
            tokens=tuple(words[:length]),
            logprobs=tuple(told[:length]),
            version=version,
            finish="stop" if has_stopped else "length",
        )
        for row, (words, told, length, has_stopped) in enumerate(
            zip(
                *(each.tolist() for each in (tokens, logprobs, lengths, stopped)),
                strict=True,
            )
        )
    ]
    return [made[start : start + n] for start in range(0, len(made), n)]


def drawn(logits: Tensor, temperature: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """A token of each row, and its log-probability at temperature 1: (B, V) → (B,) × 2."""
    told = torch.log_softmax(logits.float(), dim=-1)
    if temperature == 0:
        chosen = told.argmax(dim=-1)
    else:
        weights = told if temperature == 1 else torch.log_softmax(told / temperature, dim=-1)
        chosen = torch.multinomial(weights.exp(), 1, generator=generator).squeeze(-1)
    return chosen, told.gather(-1, chosen.unsqueeze(-1)).squeeze(-1)

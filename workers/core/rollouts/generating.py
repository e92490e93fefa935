"""Samples from a causal language model: the prompt is computed once for all its branches.

Legend: P prompts, n branches of each, B = P·n rows, V words.

Prompts are padded on the left. A row that has ended leaves the batch once half of the rows have,
so short answers do not pay for long ones. The randomness of a row depends only on the seed and the
rows beside it, so the same call gives the same samples.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from workers.core.rollouts.base import Ids, Sample, Sampling

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def left_padded(prompts: Sequence[Ids], pad: int) -> tuple[Tensor, Tensor]:
    """Ids and mask, both (P, longest)."""
    longest = max(map(len, prompts))
    ids = torch.full((len(prompts), longest), pad, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    return ids, mask


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
    ids, mask = (each.to(device) for each in left_padded(prompts, pad))
    positions = (mask.cumsum(dim=-1) - 1).clamp(min=0)
    out: Any = model(
        input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=True, logits_to_keep=1
    )
    cache = out.past_key_values
    if n > 1:
        cache.batch_repeat_interleave(n)
    logits = out.logits[:, -1].repeat_interleave(n, dim=0)
    mask = mask.repeat_interleave(n, dim=0)
    position = mask.sum(dim=-1)
    rows = torch.arange(len(prompts) * n, device=device)
    """The row of the whole batch that each row here is."""
    tokens = torch.full((len(rows), sampling.max_tokens), pad, dtype=torch.long, device=device)
    logprobs = torch.zeros(tokens.shape, device=device)
    lengths = torch.full((len(rows),), sampling.max_tokens, device=device)
    stopped = torch.zeros(len(rows), dtype=torch.bool, device=device)
    stops = torch.tensor(sorted(stop), device=device)
    for step in range(sampling.max_tokens):
        chosen, probability = _drawn(logits, sampling.temperature, generator)
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
            cache.batch_select_indices(kept)
            rows, mask, position, chosen = (x[kept] for x in (rows, mask, position, chosen))
        mask = torch.cat([mask, mask.new_ones(len(rows), 1)], dim=-1)
        out = model(
            input_ids=chosen.unsqueeze(-1),
            attention_mask=mask,
            position_ids=position.unsqueeze(-1),
            past_key_values=cache,
            use_cache=True,
        )
        logits, position = out.logits[:, -1], position + 1
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


def _drawn(logits: Tensor, temperature: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """A token of each row, and its log-probability at temperature 1: (B, V) → (B,) × 2."""
    told = torch.log_softmax(logits.float(), dim=-1)
    if temperature == 0:
        chosen = told.argmax(dim=-1)
    else:
        weights = told if temperature == 1 else torch.log_softmax(told / temperature, dim=-1)
        chosen = torch.multinomial(weights.exp(), 1, generator=generator).squeeze(-1)
    return chosen, told.gather(-1, chosen.unsqueeze(-1)).squeeze(-1)

"""Samples from a causal language model: what branches have in common is computed once.

Legend: P prompts, n branches of each, B branches that have not ended, R rows, V words.

A row is what some branches of a prompt have said so far: they part where different tokens are
drawn. A row whose branches have ended leaves the batch at the next parting, or once half of the
rows have, so short answers do not pay for long ones. The randomness of a branch depends only on the
seed and the branches beside it, so the same call gives the same samples.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from workers.core.rollouts.base import Ids, Sample, Sampling, not_finite
from workers.core.rollouts.decoding import Decoding
from workers.core.rollouts.recorded import Recordings, recorded

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
    recordings: Recordings | None = None,
    require_use: Callable[[], None] = lambda: None,
) -> list[list[Sample]]:
    """`n` samples for each of the prompts; none of them is empty. Equal prompts are computed once.
    `recordings`: where a GPU's steps are kept from call to call. `require_use` is called before
    each token, and raises once the samples are of no use. Raises EngineError if the model computes
    no probabilities."""
    device = model.device
    generator = torch.Generator(device=device).manual_seed(sampling.seed)
    places = {prompt: place for place, prompt in enumerate(dict.fromkeys(prompts))}
    decoding = Decoding(model, list(places), pad=pad)
    if recordings is not None:
        rows_at_most = len(prompts) * n
        decoding = recorded(decoding, recordings, rows=rows_at_most, tokens=sampling.max_tokens)
    live = torch.arange(len(prompts) * n, device=device)
    rows = torch.tensor([places[prompt] for prompt in prompts], device=device)[live // n]
    """The row of each branch that is live."""
    tokens = torch.full((len(live), sampling.max_tokens), pad, dtype=torch.long, device=device)
    logprobs = torch.zeros(tokens.shape, device=device)
    lengths = torch.full((len(live),), sampling.max_tokens, device=device)
    stopped = torch.zeros(len(live), dtype=torch.bool, device=device)
    stops = torch.tensor(sorted(stop), device=device)
    for step in range(sampling.max_tokens):
        require_use()
        chosen, probability = drawn(decoding.logits, rows, sampling.temperature, generator)
        tokens[live, step] = chosen
        logprobs[live, step] = probability
        ends = torch.isin(chosen, stops)
        lengths[live[ends]] = step + 1
        stopped[live[ends]] = True
        live, rows, chosen = live[~ends], rows[~ends], chosen[~ends]
        if len(live) == 0 or step == sampling.max_tokens - 1:
            break
        rows = _fed(decoding, rows, chosen)
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


def _fed(decoding: Decoding, rows: Tensor, chosen: Tensor) -> Tensor:
    """Goes on with the token that each branch has drawn. Branches (B,) of one row that have drawn
    the same stay together. Returns the row of each."""
    words = decoding.logits.shape[1]
    parted: Tensor
    new: Tensor
    parted, new = torch.unique(rows * words + chosen, return_inverse=True)
    before, token = parted // words, parted % words
    if len(before.unique()) == len(before) > len(decoding) // 2:  # no row parts, and few have ended
        fed = token.new_zeros(len(decoding))
        fed[before] = token
        decoding.feed(fed)
        return rows
    decoding.keep(before)
    decoding.feed(token)
    return new


def drawn(
    logits: Tensor, rows: Tensor, temperature: float, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """A token of each branch, and its log-probability at temperature 1: (R, V) and the branches'
    rows (B,) → (B,) × 2. Raises EngineError if one is no number."""
    told = torch.log_softmax(logits.float(), dim=-1)
    # One logit that is NaN or ∞ makes its whole row NaN.
    if told[:, 0].isnan().any():
        raise not_finite("probability of a token is nan")
    if temperature == 0:
        chosen = told.argmax(dim=-1)[rows]
    else:
        weights = told if temperature == 1 else torch.log_softmax(told / temperature, dim=-1)
        counts = torch.bincount(rows, minlength=len(told))
        draws = torch.multinomial(
            weights.exp(), int(counts.max()), replacement=True, generator=generator
        )
        order = rows.argsort(stable=True)
        firsts = (counts.cumsum(dim=0) - counts)[rows[order]]
        chosen = torch.empty_like(rows)
        numbers = torch.arange(len(rows), device=rows.device) - firsts  # among those of its row
        chosen[order] = draws[rows[order], numbers]
    return chosen, told[rows, chosen]

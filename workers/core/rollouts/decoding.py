"""Texts that a causal language model continues side by side, one token at a time.

Legend: B rows, L positions so far, V words.

Prompts are padded on the left. Rows may leave, part, and be joined by others that were begun
elsewhere: what is cached of a row does not depend on the rows beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from workers.core.rollouts.base import Ids

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def left_padded(prompts: Sequence[Ids], pad: int) -> tuple[Tensor, Tensor]:
    """Ids and mask, both (B, L)."""
    longest = max(map(len, prompts))
    ids = torch.full((len(prompts), longest), pad, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    return ids, mask


class Decoding:
    """`logits` (B, V): of each row's next token."""

    logits: Tensor

    @torch.no_grad()
    def __init__(self, model: PreTrainedModel, prompts: Sequence[Ids], *, pad: int) -> None:
        """Computes the prompts."""
        ids, self._mask = (each.to(model.device) for each in left_padded(prompts, pad))
        self._model = model
        self._position = self._mask.sum(dim=-1)
        # A slice of the hidden states, as the number 1 would take it, is not contiguous: torch then
        # copies the output layer for each row, which took longer than all else with 16 bits.
        last = torch.tensor([ids.shape[1] - 1], device=model.device)
        out: Any = model(
            input_ids=ids,
            attention_mask=self._mask,
            position_ids=(self._mask.cumsum(dim=-1) - 1).clamp(min=0),
            use_cache=True,
            logits_to_keep=last,
        )
        self._cache = out.past_key_values
        self.logits = out.logits[:, -1]

    def __len__(self) -> int:
        return len(self._position)

    @property
    def can_be_joined(self) -> bool:
        """Not if the model forgets what is further back than a window."""
        return all(not layer.is_sliding for layer in self._cache.layers)

    @torch.no_grad()
    def feed(self, tokens: Tensor) -> None:
        """The next token of each row (B,)."""
        self._mask = torch.cat([self._mask, self._mask.new_ones(len(self), 1)], dim=-1)
        out: Any = self._model(
            input_ids=tokens.unsqueeze(-1),
            attention_mask=self._mask,
            position_ids=self._position.unsqueeze(-1),
            past_key_values=self._cache,
            use_cache=True,
        )
        self._position = self._position + 1
        self.logits = out.logits[:, -1]

    def keep(self, rows: Tensor) -> None:
        """Only these rows, in this order. One that is named several times parts."""
        self._cache.batch_select_indices(rows)
        self._mask, self._position, self.logits = (
            each[rows] for each in (self._mask, self._position, self.logits)
        )

    def join(self, others: Decoding) -> None:
        """Rows of the same model, after those that are here."""
        longest = max(self._mask.shape[1], others._mask.shape[1])
        for own, theirs in zip(self._cache.layers, others._cache.layers, strict=True):
            for name in ("keys", "values"):
                both = [_padded(getattr(each, name), longest, dim=2) for each in (own, theirs)]
                setattr(own, name, torch.cat(both))
        masks = [_padded(each._mask, longest, dim=1) for each in (self, others)]
        self._mask = torch.cat(masks)
        self._position = torch.cat([self._position, others._position])
        self.logits = torch.cat([self.logits, others.logits])


def _padded(tensor: Tensor, length: int, *, dim: int) -> Tensor:
    """With zeros on the left, so that the dimension has that length."""
    missing = length - tensor.shape[dim]
    if not missing:
        return tensor
    shape = list(tensor.shape)
    shape[dim] = missing
    return torch.cat([tensor.new_zeros(shape), tensor], dim=dim)

"""Records in, logits and rewards out: a model that classifies, read from its folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from workers.core.checkpoints import CheckpointError
from workers.core.methods.base import MethodError
from workers.core.methods.reso.tuning.adapters import (
    adapted,
    load_adapter,
    put_tensors,
    unusable,
)
from workers.core.methods.reso.tuning.models import (
    Head,
    device,
    find_model,
    load_model,
    load_tokenizer,
)


@dataclass(slots=True)
class Scorer:
    """`head`: of the whole text, or of each token, of which the last one's counts."""

    model: Any
    tokenizer: Any
    head: Head
    max_tokens: int

    @staticmethod
    def for_tuning(name: str, *, max_tokens: int) -> Scorer:
        """Any model with one new head, or its own where it has one of a single label."""
        source = find_model(name)
        return _scorer(load_model(source, "sequence"), load_tokenizer(source), max_tokens)

    @staticmethod
    def published(name: str, *, max_tokens: int) -> Scorer:
        """A model with a head of its own. Raises MethodError for one without."""
        source = find_model(name)
        if source.head == "language" or source.labels > 2:
            raise MethodError(
                code="no_reward_head",
                message=f"The model “{name}” says nothing of how good a text is: it has no head "
                "with one or two labels.",
                remedy="Choose a reward model, or tune this one and name the checkpoint.",
            )
        model = load_model(source, source.head, labels=source.labels)
        return _scorer(model, load_tokenizer(source), max_tokens, head=source.head)

    @staticmethod
    def tuned(checkpoint: Path) -> Scorer:
        """Raises MethodError for a checkpoint that is no tuned reward model."""
        config, tensors = load_adapter(checkpoint, "reward_model")
        scorer = Scorer.for_tuning(config.base_model, max_tokens=config.max_tokens)
        model = adapted(scorer.model, config)
        try:
            put_tensors(model, tensors, folder=checkpoint)
        except CheckpointError as error:
            raise unusable(error) from error
        scorer.model = model.eval()
        return scorer

    def logits(self, records: Sequence[str]) -> Tensor:
        """(B, labels)."""
        batch = self.tokenizer(
            list(records),
            return_tensors="pt",
            padding=True,
            truncation=True,
            max_length=self.max_tokens,
        ).to(device())
        logits: Tensor = self.model(**batch).logits.float()
        if self.head == "sequence":
            return logits
        last = batch["attention_mask"].sum(dim=1) - 1  # padded on the right
        return logits[torch.arange(len(logits)), last]

    @torch.no_grad()
    def rewards(self, records: Sequence[str]) -> list[float]:
        """σ of the one label, or the probability of the second of two."""
        logits = self.logits(records)
        if logits.shape[1] == 1:
            return [float(value) for value in torch.sigmoid(logits[:, 0])]
        return [float(value) for value in torch.softmax(logits, dim=1)[:, -1]]


def _scorer(model: Any, tokenizer: Any, max_tokens: int, *, head: Head = "sequence") -> Scorer:
    tokenizer.padding_side, tokenizer.truncation_side = "right", "left"
    model.config.pad_token_id = tokenizer.pad_token_id
    return Scorer(model, tokenizer, head, max_tokens)

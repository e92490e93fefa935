"""Records in, rewards out: a model, read from its folder, says how good an answer is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from workers.core.checkpoints import CheckpointError, unusable
from workers.core.errors import MethodError
from workers.core.methods.reso.rewards import TEXT_TOKENS
from workers.core.methods.reso.tuning.config import ADAPTERS, RewardForm
from workers.core.methods.reso.tuning.steps import StepForm, StepReader
from workers.core.weights.adapters import adapted, load_adapter, put_tensors
from workers.core.weights.models import (
    Head,
    Source,
    device,
    find_model,
    load_model,
    load_tokenizer,
)

PUBLISHED: dict[str, StepForm] = {
    "peiyi9979/math-shepherd-mistral-7b-prm": "step_tag",
    "RLHFlow/Llama3.1-8B-PRM-Deepseek-Data": "chat_turns",
    "RLHFlow/Llama3.1-8B-PRM-Mistral-Data": "chat_turns",
}
"""Language models that are known to write + or −, by their names on the hub: their files don't show
it."""


@dataclass(slots=True)
class Scorer:
    """`head`: one for the whole text, or one for each token, where the last token's counts.
    `reader`: how a record is written for a model that judges steps; None: unchanged."""

    model: Any
    tokenizer: Any
    head: Head
    max_tokens: int
    reader: StepReader | None = None

    @staticmethod
    def for_tuning(name: str, *, max_tokens: int) -> Scorer:
        """Any model, with a new head of a single label, or with its own if it judges steps or has a
        single label."""
        source = find_model(name)
        head: Head = "process" if source.head == "process" else "sequence"
        return _scorer(source, head, max_tokens=max_tokens)

    @staticmethod
    def published(name: str, *, max_tokens: int, form: RewardForm = "auto") -> Scorer:
        """A published model that says how good an answer is: with its head, or with what it writes
        in the given form. Raises MethodError for others."""
        source = find_model(name)
        writes = source.head == "language"
        if not writes and form != "auto":
            raise MethodError(
                code="reward_form_of_a_head",
                message=(
                    f"The model “{name}” has its own head and writes no text, so the form "
                    f"{form} doesn't apply."
                ),
                remedy="Set reward_form to auto.",
            )
        written = PUBLISHED.get(name) if form == "auto" else form
        says_nothing = written is None if writes else source.labels > 2
        if says_nothing:
            raise MethodError(
                code="no_reward_head",
                message=(
                    f"The model “{name}” can't judge a text: it has no head with one or two labels."
                ),
                remedy=(
                    "Choose a reward model, or tune this one and name the checkpoint. If it "
                    "writes + or − after each step, set reward_form."
                ),
            )
        return _scorer(
            source, source.head, max_tokens=max_tokens, labels=source.labels, written=written
        )

    @staticmethod
    def tuned(checkpoint: Path) -> Scorer:
        """Raises MethodError if the checkpoint is not a tuned reward model."""
        config, tensors = load_adapter(checkpoint, ADAPTERS["reward_model"])
        scorer = Scorer.for_tuning(config.base_model, max_tokens=config.max_tokens)
        model = adapted(scorer.model, config, ADAPTERS["reward_model"])
        try:
            put_tensors(model, tensors, folder=checkpoint)
        except CheckpointError as error:
            raise unusable(error) from error
        scorer.model = model.eval()
        return scorer

    @property
    def room(self) -> int | None:
        """Limit of each text of a record, in tokens. None: models that judge steps read whole
        texts."""
        return TEXT_TOKENS if self.reader is None else None

    def fits(self, record: str) -> bool:
        """Whether the record fits. For a model that judges steps only earlier answers can be left
        out."""
        return self.reader is None or self.reader.tokens(record) is not None

    def log_odds(self, records: Sequence[str]) -> Tensor:
        """ln(r / (1 − r)) of records that fit: (B,). The one label, or the second minus the
        first."""
        batch = self._batch(records)
        last = batch["attention_mask"].sum(dim=1) - 1  # padded on the right
        rows = torch.arange(len(last), device=last.device)
        if self.head == "language":
            # Of a few places: all of them times the vocabulary are gigabytes.
            kept, last = last.unique(return_inverse=True)
            logits = self.model(**batch, logits_to_keep=kept).logits
        else:
            logits = self.model(**batch).logits
        if self.head != "sequence":
            logits = logits[rows, last]
        if self.reader is not None:
            logits = logits[:, list(self.reader.labels)]
        said: Tensor = logits.float()
        return said[:, 0] if said.shape[1] == 1 else said[:, 1] - said[:, 0]

    @torch.no_grad()
    def rewards(self, records: Sequence[str]) -> list[float | None]:
        """σ of one label, or the probability of the second of two. None for records that don't
        fit."""
        fitting = [record for record in records if self.fits(record)]
        values = torch.sigmoid(self.log_odds(fitting)).tolist() if fitting else []
        found = dict(zip(fitting, values, strict=True))
        return [found.get(record) for record in records]

    def _batch(self, records: Sequence[str]) -> Any:
        if self.reader is None:
            return self.tokenizer(
                list(records),
                return_tensors="pt",
                padding=True,
                truncation=True,
                max_length=self.max_tokens,
            ).to(device())
        tokens = [self.reader.tokens(record) for record in records]
        return self.tokenizer.pad({"input_ids": tokens}, return_tensors="pt").to(device())


def _scorer(
    source: Source,
    head: Head,
    *,
    max_tokens: int,
    labels: int = 1,
    written: StepForm | None = None,
) -> Scorer:
    tokenizer: Any = load_tokenizer(source)
    tokenizer.padding_side, tokenizer.truncation_side = "right", "left"
    form: StepForm | None = "process" if head == "process" else written
    # Before the weights, of which there are gigabytes.
    reader = form and StepReader(source.name, tokenizer, form, max_tokens=max_tokens)
    model = load_model(source, head, labels=labels)
    model.config.pad_token_id = tokenizer.pad_token_id
    return Scorer(model, tokenizer, head, max_tokens, reader)

"""Supervised fine-tuning of the planner: −log p(plan | instructions, query), the mean per token."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from workers.core.errors import MethodError
from workers.core.methods.reso.tuning.config import ADAPTERS, TuningConfig
from workers.core.methods.reso.tuning.examples import PlanExample
from workers.core.methods.reso.tuning.learner import Learner, seeded
from workers.core.weights.adapters import adapted
from workers.core.weights.models import (
    Source,
    device,
    find_model,
    load_model,
    load_tokenizer,
)

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

IGNORED = -100
"""The label of tokens that are not part of the plan."""


class PlannerLearner(Learner):
    """Uses trl's trainer only up to a step's loss: the chat template, the mask that leaves the
    prompt out, padding, and the loss."""

    def __init__(
        self,
        learned: Sequence[PlanExample],
        held_out: Sequence[PlanExample],
        config: TuningConfig,
        *,
        seed: int,
    ) -> None:
        """Raises MethodError."""
        super().__init__(config, seed=seed)
        source, tokenizer = instructed_model(config.model)
        with seeded(seed, 0):
            model = adapted(
                load_model(source, "language"), config.adapter("planner"), ADAPTERS["planner"]
            )
        self._trainer = _trainer(model, tokenizer, [*learned, *held_out], config)
        self.model = model
        rows = list(self._trainer.train_dataset)
        fits = [len(row["input_ids"]) <= config.max_tokens for row in rows]
        self._rows = [row for row, fit in zip(rows, fits, strict=True) if fit]
        self.count = sum(fits[: len(learned)])
        self.total = len(self._rows)
        self.too_long = len(rows) - self.total
        self.begin()

    def weight(self, place: int) -> float:
        """The number of its learned tokens: the loss is a mean per token."""
        return float(sum(label != IGNORED for label in self._rows[place]["labels"]))

    def losses(self, places: Sequence[int]) -> tuple[Tensor, dict[str, float]]:
        batch = self._trainer.data_collator([self._rows[place] for place in places])
        on_device = {name: tensor.to(device()) for name, tensor in batch.items()}
        loss: Tensor = self._trainer.compute_loss(self.model, on_device)
        return loss, {}


def instructed_model(name: str) -> tuple[Source, PreTrainedTokenizerBase]:
    """A model that takes instructions and a question. Raises MethodError."""
    source = find_model(name)
    if source.head != "language":
        raise MethodError(
            code="no_language_model",
            message=f"The model “{name}” writes no text, so it cannot plan.",
            remedy="Choose a model for text generation (a causal language model).",
        )
    tokenizer = load_tokenizer(source)
    if not tokenizer.chat_template:
        raise MethodError(
            code="no_chat_template",
            message=(
                f"The model “{name}” has no chat template. It only continues texts, but a "
                "planner gets instructions and a question."
            ),
            remedy="Choose a model that follows instructions.",
        )
    return source, tokenizer


def _trainer(
    model: Any, tokenizer: Any, examples: Sequence[PlanExample], config: TuningConfig
) -> Any:
    from datasets import Dataset, disable_progress_bars
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    disable_progress_bars()
    rows = [
        {
            "prompt": [
                {"role": "system", "content": example.instructions},
                {"role": "user", "content": example.query},
            ],
            "completion": [{"role": "assistant", "content": example.plan}],
        }
        for example in examples
    ]
    options = SFTConfig(
        output_dir=tempfile.gettempdir(),  # it writes nothing, since it never runs its loop
        report_to="none",
        use_cpu=device().type == "cpu",
        bf16=False,
        gradient_checkpointing=False,
        completion_only_loss=True,
        max_length=None,  # half a plan is none: what is too long is left out
        per_device_train_batch_size=config.batch_size,
    )
    return SFTTrainer(
        model=model,
        args=options,
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )

"""Supervised fine-tuning of the planner: −log p(plan | instructions, query), the mean per token."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from torch import Tensor

from workers.core.checkpoints import require_shapes
from workers.core.errors import MethodError
from workers.core.methods.reso.tuning.config import TuningConfig
from workers.core.methods.reso.tuning.examples import PlanExample
from workers.core.methods.reso.tuning.learner import Learner, require_memory
from workers.core.rollouts.base import LossOptions, Sample, Weighted, demonstration
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec, answer_ids, prompt_ids
from workers.core.weights.models import Source, find_model, load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

PLANNER = "planner"
"""The engine's policy."""


class PlannerLearner(Learner):
    """A policy that learns from demonstrations."""

    def __init__(
        self,
        learned: Sequence[PlanExample],
        held_out: Sequence[PlanExample],
        config: TuningConfig,
        *,
        seed: int,
    ) -> None:
        """Raises MethodError."""
        super().__init__(config)
        _, tokenizer = instructed_model(config.model)
        self._samples = self.fitting(
            [_demonstrated(each, tokenizer) for each in learned],
            [_demonstrated(each, tokenizer) for each in held_out],
            lambda sample: len(sample.prompt) + len(sample.tokens) <= config.max_tokens,
        )
        require_memory(
            config,
            prompt=max(len(sample.prompt) for sample in self._samples),
            answer=max(len(sample.tokens) for sample in self._samples),
        )
        spec = PolicySpec(config.model, rank=config.rank, alpha=config.alpha)
        self._engine = InProcessEngine({PLANNER: spec}, seed=seed)
        self.policy = self._engine.learning(PLANNER).policy
        self.optimiser = self._engine.learning(PLANNER).optimiser

    def add_gradient(self, places: Sequence[int]) -> dict[str, float]:
        samples = [self._samples[place] for place in places]
        tokens = sum(len(sample.tokens) for sample in samples)
        told = [
            self._engine.forward_backward(
                PLANNER,
                [Weighted(sample, len(sample.tokens) / tokens)],
                LossOptions(normaliser="tokens"),
            )
            for sample in samples
        ]
        return {"loss": sum(each.loss for each in told)}

    def optim_step(self, rate: float) -> float:
        return self._engine.optim_step(PLANNER, rate)

    def judge(self, places: Sequence[int]) -> dict[str, float]:
        told = [self._engine.logprobs(PLANNER, [self._samples[place]])[0] for place in places]
        return {"loss": -sum(map(sum, told)) / sum(map(len, told))}

    def tensors(self) -> dict[str, Tensor]:
        return self._engine.tensors(PLANNER)

    def put(self, tensors: dict[str, Tensor], *, folder: Path) -> None:
        require_shapes(folder, found=tensors, wanted=self.policy.learned)
        self.policy.put(tensors)


def _demonstrated(example: PlanExample, tokenizer: PreTrainedTokenizerBase) -> Sample:
    chat = [
        {"role": "system", "content": example.instructions},
        {"role": "user", "content": example.query},
    ]
    return demonstration(prompt_ids(tokenizer, chat), answer_ids(tokenizer, example.plan))


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

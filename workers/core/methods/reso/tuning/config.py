"""The settings of a tuning. Light to import; torch and peft are loaded when a tuning starts."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from workers.core.methods.reso.config import METHOD_KEY
from workers.core.weights.adapters import AdapterConfig, AdapterKind
from workers.core.weights.files import MODEL_NAME
from workers.core.weights.fingerprint import Fingerprint

TuningKind = Literal["planner", "reward_model"]
ADAPTERS: dict[TuningKind, AdapterKind] = {
    "planner": AdapterKind(METHOD_KEY, "planner", "planner", "CAUSAL_LM"),
    "reward_model": AdapterKind(METHOD_KEY, "reward_model", "reward model", "SEQ_CLS"),
}
RewardForm = Literal["auto", "step_tag", "chat_turns"]
"""How a published reward model is asked; see `steps`."""


class TuningConfig(BaseModel):
    """If a description names no source, the number is ours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(
        default="",
        pattern=MODEL_NAME,
        description=(
            "The model to tune: a folder below the local models, or owner/name on the hub. Its "
            "weights must be safetensors. Code that comes with a model is never run."
        ),
    )
    rank: int = Field(
        default=8, ge=1, le=512, description="Rank of the LoRA adapter (r; published: 8)."
    )
    alpha: int = Field(
        default=32, ge=1, le=4_096, description="Scale of the LoRA adapter (α; published: 32)."
    )
    learning_rate: float = Field(
        default=1e-4,
        gt=0,
        le=1,
        description=(
            "Learning rate at the first step. It falls evenly to 0 (AdamW; published: 1e-4)."
        ),
    )
    epochs: int = Field(
        default=5,
        ge=1,
        le=1_000,
        description="How many times each example is learned from (published: 5).",
    )
    batch_size: int = Field(default=4, ge=1, le=256, description="Examples per step.")
    max_tokens: int = Field(
        default=1_536,
        ge=64,
        le=131_072,
        description=(
            "Most tokens of one example. A longer plan is left out. A longer record for the "
            "reward model loses its beginning."
        ),
    )
    checkpoint_every: int = Field(default=25, ge=1, description="Steps between two checkpoints.")
    held_out: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description=(
            "Tasks whose examples are never learned from. Every checkpoint is tested on them."
        ),
    )

    def adapter(self, kind: TuningKind, base: Fingerprint | None = None) -> AdapterConfig:
        return AdapterConfig(
            kind=kind,
            base_model=self.model,
            rank=self.rank,
            alpha=self.alpha,
            max_tokens=self.max_tokens,
            base=base,
        )

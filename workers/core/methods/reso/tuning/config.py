"""What a tuning may set. Light to import; torch, peft and trl come when a tuning begins."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from workers.core.methods.reso.config import METHOD_KEY
from workers.core.weights.adapters import AdapterConfig, AdapterKind
from workers.core.weights.files import MODEL_NAME

TuningKind = Literal["planner", "reward_model"]
ADAPTERS: dict[TuningKind, AdapterKind] = {
    "planner": AdapterKind(METHOD_KEY, "planner", "planner", "CAUSAL_LM"),
    "reward_model": AdapterKind(METHOD_KEY, "reward_model", "reward model", "SEQ_CLS"),
}
RewardForm = Literal["auto", "step_tag", "chat_turns"]
"""How a published reward model is asked: see `steps`."""


class TuningConfig(BaseModel):
    """Where a description names no source, the number is ours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(
        default="",
        pattern=MODEL_NAME,
        description=(
            "The model that is tuned: a folder's name below that of local models, or owner/name "
            "on the hub. Safetensors only, and never with code of its own."
        ),
    )
    rank: int = Field(default=8, ge=1, le=512, description="LoRA's r (published: 8).")
    alpha: int = Field(default=32, ge=1, le=4_096, description="LoRA's α (published: 32).")
    learning_rate: float = Field(
        default=1e-4, gt=0, le=1, description="AdamW's at the first step (published: 1e-4)."
    )
    epochs: int = Field(
        default=5, ge=1, le=1_000, description="How often each example comes (published: 5)."
    )
    batch_size: int = Field(default=4, ge=1, le=256, description="Examples of one step.")
    max_tokens: int = Field(
        default=1_536,
        ge=64,
        le=131_072,
        description=(
            "Of one example. A longer plan is left out, since half of one is none; of a longer "
            "record for the reward model the beginning is cut."
        ),
    )
    checkpoint_every: int = Field(default=25, ge=1, description="Steps between two checkpoints.")
    held_out: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Tasks whose examples are never learned from; each checkpoint tells how it "
        "does on them.",
    )

    def adapter(self, kind: TuningKind) -> AdapterConfig:
        return AdapterConfig(
            kind=kind,
            base_model=self.model,
            rank=self.rank,
            alpha=self.alpha,
            max_tokens=self.max_tokens,
        )

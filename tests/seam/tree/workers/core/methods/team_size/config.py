"""What people may set."""

from pydantic import BaseModel, ConfigDict, Field


class TeamSizeConfig(BaseModel):
    """No options."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TeamSizeTrainingConfig(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    steps: int = Field(default=2, ge=1, description="Training steps.")
    rate: float = Field(default=1.0, gt=0, description="Learning rate.")

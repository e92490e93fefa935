"""What a training of language models changes, and by which engine. Light: it loads no torch."""

from typing import Literal

from workers.core.rollouts.base import OptimiserName

Level = Literal["shared", "adapters", "models"]
"""One model for all roles, one model with an adapter for each role, or a model for each."""
Engine = Literal["in_process", "vllm"]
VLLM_RANKS = (8, 16, 32, 64)
"""Those that a vLLM server takes."""


def adapter_rank(level: Level, rank: int) -> int:
    """0: all weights are trained."""
    return 0 if level == "models" else rank


def require_fitting(level: Level, rank: int, optimiser: OptimiserName, engine: Engine) -> None:
    """Raises ValueError for settings that exclude each other."""
    if level == "adapters" and rank == 0:
        raise ValueError("adapters need a rank of at least 1")
    if optimiser == "muon" and adapter_rank(level, rank):
        raise ValueError(
            "muon is for all weights of a model. Set rank to 0, or choose adamw for adapters"
        )
    if engine == "vllm" and (level == "models" or rank not in VLLM_RANKS):
        ranks = ", ".join(map(str, VLLM_RANKS))
        raise ValueError(f"vllm samples from adapters alone, with a rank of {ranks}")

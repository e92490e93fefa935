"""What is written beside the weights of a checkpoint that a test makes."""

from __future__ import annotations

from typing import Any

from workers.core.checkpoints import CheckpointInfo


def trained_info(method: str, **values: Any) -> CheckpointInfo:
    """That of a trained checkpoint, of which `values` name what the test is about."""
    always = {"label": "Trained", "trained": True, "seed": 0, "code_version": "tests"}
    return CheckpointInfo(method=method, **{**always, **values})

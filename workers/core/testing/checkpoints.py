"""What is written beside the weights of a checkpoint that a test makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workers.core.checkpoints import CONFIG_NAME, CheckpointInfo


def trained_info(method: str, **values: Any) -> CheckpointInfo:
    """That of a trained checkpoint, of which `values` name what the test is about."""
    always = {"label": "Trained", "trained": True, "seed": 0, "code_version": "tests"}
    return CheckpointInfo(method=method, **{**always, **values})


def edit(folder: Path, **changes: object) -> None:
    """Changes what is written beside the weights, as a hand or a damaged disk may."""
    path = folder / CONFIG_NAME
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))

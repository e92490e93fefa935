"""Makes the JSON part of a test's checkpoints."""

import json
from pathlib import Path
from typing import Any

from workers.core.checkpoints import CONFIG_NAME, CheckpointInfo


def trained_info(method: str, **values: Any) -> CheckpointInfo:
    """The JSON part of a trained checkpoint. `values` are what the test is about."""
    always = {"label": "Trained", "trained": True, "seed": 0, "code_version": "tests"}
    return CheckpointInfo(method=method, **{**always, **values})


def edit(folder: Path, **changes: object) -> None:
    """Change the JSON part, as a person or a damaged disk may."""
    path = folder / CONFIG_NAME
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))

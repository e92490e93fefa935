"""Reads adapters from checkpoints and writes them."""

from pathlib import Path

import torch
from pydantic import ValidationError

from workers.core.checkpoints import CheckpointError, CheckpointInfo, load, require_shapes, save
from workers.core.methods.evomas.adapter import Adapter
from workers.core.methods.evomas.config import METHOD_KEY, AdapterConfig


def save_adapter(folder: Path, adapter: Adapter, info: CheckpointInfo) -> CheckpointInfo:
    """`info.config` is filled in from the adapter. Raises CheckpointError."""
    shaped = info.model_copy(update={"config": adapter.config.model_dump(mode="json")})
    return save(folder, dict(adapter.state_dict()), shaped)


def load_adapter(folder: Path, *, dimension: int | None = None) -> Adapter:
    """The checkpoint's adapter, for embeddings of `dimension` numbers. Raises CheckpointError."""
    info, tensors = load(folder, method=METHOD_KEY)
    try:
        config = AdapterConfig.model_validate(info.config)
    except ValidationError as error:
        raise CheckpointError(
            code="corrupt",
            message=f"The checkpoint {folder.name} does not describe an EvoMAS adapter: {error}",
        ) from error
    if dimension not in (None, config.dimension):
        raise CheckpointError(
            code="wrong_dimension",
            message=(
                f"The adapter reads embeddings of {config.dimension} numbers, but this embedder "
                f"gives {dimension}."
            ),
        )
    with torch.device("meta"):
        adapter = Adapter(config)
    require_shapes(folder, found=tensors, wanted=dict(adapter.state_dict()))
    adapter.load_state_dict(tensors, assign=True)
    return adapter.eval()

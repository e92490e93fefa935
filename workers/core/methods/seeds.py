"""Seeds and draws for the samples of one run."""

from collections.abc import Sequence
from hashlib import blake2b


def sample_seed(run_seed: int, index: int) -> int:
    """A seed in [0, 2³¹) for the index-th sample.

    It is hashed rather than added: runs with neighbouring seeds must not share samples.
    """
    return _hashed(f"{run_seed}:{index}") >> 33


def placed_seed(run_seed: int, place: Sequence[int]) -> int:
    """A seed in [0, 2³¹) for what is sampled at this place, however many samples came before."""
    return _hashed(f"{run_seed}:at {'.'.join(map(str, place))}") >> 33


def uniform(run_seed: int, name: str) -> float:
    """A draw in [0, 1) that depends only on the run's seed and its own name.

    So no draw shifts another one, and no version of a library changes a seeded graph.
    """
    return (_hashed(f"{run_seed}:{name}") >> 11) / 2**53


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")

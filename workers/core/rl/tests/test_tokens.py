"""The objective over tokens, by hand and beside trl's."""

import math

import pytest
import torch

from workers.core.rl.tokens import kl_estimate, token_loss, token_weights

PRESENT = torch.tensor([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]])


class TestWeights:
    def test_each_answer_counts_as_much(self) -> None:
        weights = token_weights(PRESENT, per_answer=True, answers=2, tokens=6)
        assert weights.sum(dim=-1).tolist() == [0.5, 0.5]
        assert weights[1].tolist() == [0.25, 0.25, 0, 0]

    def test_each_token_counts_as_much(self) -> None:
        weights = token_weights(PRESENT, per_answer=False, answers=2, tokens=6)
        assert weights[PRESENT > 0].tolist() == pytest.approx([1 / 6] * 6)
        assert weights.sum() == pytest.approx(1)

    def test_parts_of_a_batch_sum_to_the_whole(self) -> None:
        for per_answer in (True, False):
            parts = [
                token_weights(row.unsqueeze(0), per_answer=per_answer, answers=2, tokens=6)
                for row in PRESENT
            ]
            whole = token_weights(PRESENT, per_answer=per_answer, answers=2, tokens=6)
            assert torch.allclose(torch.cat(parts), whole)


class TestLoss:
    def loss(self, ratio: float, advantage: float) -> float:
        logprobs = torch.log(torch.tensor([[ratio]]))
        told = token_loss(
            logprobs,
            torch.zeros(1, 1),
            torch.tensor([[advantage]]),
            torch.ones(1, 1),
            epsilon=0.2,
        )
        return float(told.loss)

    @pytest.mark.parametrize(
        ("ratio", "advantage", "expected"),
        [
            (1.0, 2.0, -2.0),
            (1.1, 1.0, -1.1),
            (1.5, 1.0, -1.2),  # no more than 1 + ε is gained
            (0.5, 1.0, -0.5),  # but all of a loss counts
            (0.5, -1.0, 0.8),
            (1.5, -1.0, 1.5),
        ],
    )
    def test_clip(self, ratio: float, advantage: float, expected: float) -> None:
        assert self.loss(ratio, advantage) == pytest.approx(expected)

    def test_what_is_clipped_has_no_gradient(self) -> None:
        logprobs = torch.log(torch.tensor([[1.5, 1.0]])).requires_grad_()
        told = token_loss(
            logprobs, torch.zeros(1, 2), torch.ones(1, 1), torch.ones(1, 2), epsilon=0.2
        )
        torch.autograd.backward(told.loss)
        assert logprobs.grad is not None
        assert logprobs.grad.tolist() == [[0, -1]]
        assert told.clipped.tolist() == [[1, 0]]

    def test_divergence(self) -> None:
        logprobs, reference = torch.log(torch.tensor([[0.5]])), torch.log(torch.tensor([[0.25]]))
        expected = 0.5 - math.log(0.5) - 1
        assert float(kl_estimate(logprobs, reference)) == pytest.approx(expected)
        told = token_loss(
            logprobs,
            logprobs,
            torch.ones(1, 1),
            torch.ones(1, 1),
            epsilon=0.2,
            kl=0.1,
            reference=reference,
        )
        assert float(told.loss) == pytest.approx(-1 + 0.1 * expected)
        assert float(told.kl) == pytest.approx(expected)

    def test_padding_counts_nothing(self) -> None:
        logprobs = torch.tensor([[-1.0, -2.0, -9.0, -9.0]])
        old = torch.tensor([[-1.0, -2.0, 0.0, 0.0]])
        weights = token_weights(
            torch.tensor([[1.0, 1.0, 0.0, 0.0]]), per_answer=True, answers=1, tokens=2
        )
        told = token_loss(logprobs, old, torch.ones(1, 1), weights, epsilon=0.2)
        assert float(told.loss) == pytest.approx(-1)

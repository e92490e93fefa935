"""The rewards of a constructed system in HRPO (MasHost, arXiv 2506.08507, Eq. 4 and 5).

Legend: B queries, L systems per query, T actions of a system (padded). `present` is False for
padding, which earns nothing and passes nothing on.
"""

import torch
from torch import Tensor


def system_reward(correct: Tensor, tokens: Tensor, *, beta: float) -> Tensor:
    """Eq. 4: 1 − β·tokens if right, otherwise −1: (…) bool, (…) → (…) in [−1, 1].

    `tokens` counts prompt and completion; β·tokens is clipped to [0, 1].
    """
    price = (beta * tokens).clamp(0.0, 1.0)
    return torch.where(correct, 1.0 - price, -torch.ones_like(price))


def action_reward(correct: Tensor, present: Tensor, *, exemption_time: int, alpha: float) -> Tensor:
    """Eq. 5 for the actions t = 1..T: (…, T) bool, (…, T) bool → (…, T) in [−1, 1].

    `correct[t−1]` says whether O_t, the answer after action t, is right; O_0 is no answer.
      broke a right system        −1
      made a wrong system right   +1
      kept it right               e^{−t}
      kept it wrong               0 up to `exemption_time`, then −α·(t − T_E), not below −1
    The paper's last case needs the same answer as before. Here two different wrong answers count
    the same.
    """
    before = torch.cat([torch.zeros_like(correct[..., :1]), correct[..., :-1]], dim=-1)
    t = torch.arange(1, correct.shape[-1] + 1, device=correct.device, dtype=torch.float32)
    late = (-alpha * (t - exemption_time)).clamp(-1.0, 0.0)
    kept = torch.where(correct, torch.exp(-t), late)
    changed = torch.where(correct, 1.0, -1.0)
    return torch.where(before == correct, kept, changed) * present

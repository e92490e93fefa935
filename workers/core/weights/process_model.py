"""Process reward models like Qwen2.5-Math-PRM, written from the description in their code.

transformers' Qwen2Model h, and on each token a head of two layers and two labels,

    logits = W₂ · ReLU(W₁ · h + b₁) + b₂

The second label is “right so far”. The weights have the published names: model.*, score.0.* (W₁,
b₁) and score.2.* (W₂, b₂).

Source: *The Lessons of Developing Process Reward Models in Mathematical Reasoning* (Zhang et al.
2025, arXiv 2501.07301) and the card of Qwen/Qwen2.5-Math-PRM-7B.

Legend: B texts, T tokens, H hidden size.
"""

from typing import Any

from torch import Tensor, nn
from transformers import Qwen2Config, Qwen2Model, Qwen2PreTrainedModel
from transformers.modeling_outputs import TokenClassifierOutput

LABELS = 2


class ProcessRewardModel(Qwen2PreTrainedModel):
    def __init__(self, config: Qwen2Config) -> None:
        super().__init__(config)
        self.num_labels = LABELS
        self.model = Qwen2Model(config)
        width = config.hidden_size
        self.score = nn.Sequential(
            nn.Linear(width, width), nn.ReLU(), nn.Linear(width, self.num_labels)
        )
        self.post_init()

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: Any
    ) -> TokenClassifierOutput:
        body = self.model(input_ids=input_ids, attention_mask=attention_mask, use_cache=False)
        return TokenClassifierOutput(logits=self.score(body.last_hidden_state))  # (B, T, 2)

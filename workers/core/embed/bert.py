"""A BERT encoder for sentence embeddings, in plain torch.

Why not `transformers`: importing it takes 3–5 s per process beyond torch, this file 0.05 s, and the
outputs agree to 1e-5 (a test compares them). Parameter names follow the published state dict, so
its safetensors file loads without renaming.

Legend: B texts, T tokens, D width, H heads.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class BertShape:
    """The part of a BERT `config.json` that decides shapes and numerics."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    max_position_embeddings: int
    type_vocab_size: int
    layer_norm_eps: float


class BertEncoder(nn.Module):
    """Token ids and attention mask → token vectors."""

    def __init__(self, shape: BertShape) -> None:
        super().__init__()
        self.embeddings = _Embeddings(shape)
        self.encoder = nn.ModuleDict(
            {"layer": nn.ModuleList(_Layer(shape) for _ in range(shape.num_hidden_layers))}
        )

    def forward(self, token_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """(B, T) int64, (B, T) bool → (B, T, D). No token attends to masked tokens."""
        hidden = cast(Tensor, self.embeddings(token_ids))  # (B, T, D)
        visible = attention_mask[:, None, None, :]  # (B, 1, 1, T)
        for layer in cast(nn.ModuleList, self.encoder["layer"]):
            hidden = layer(hidden, visible)
        return hidden


def mean_pooled(token_vectors: Tensor, attention_mask: Tensor) -> Tensor:
    """Mean over the real tokens, then L2-normalised: (B, T, D), (B, T) bool → (B, D)."""
    weights = attention_mask.unsqueeze(-1).to(token_vectors.dtype)
    mean = (token_vectors * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1.0)
    return functional.normalize(mean, dim=-1)


def load_bert(folder: Path) -> BertEncoder:
    """The encoder of a folder with `config.json` and `model.safetensors`, ready for inference."""
    from safetensors.torch import load_file

    config = json.loads((folder / "config.json").read_text("utf-8"))
    if config["hidden_act"] != "gelu" or config["position_embedding_type"] != "absolute":
        raise ValueError(f"{folder} has no BERT model with GELU and absolute positions")
    shape = BertShape(**{name: config[name] for name in BertShape.__slots__})
    with torch.device("meta"):
        model = BertEncoder(shape)
    weights = load_file(folder / "model.safetensors")
    wanted = model.state_dict().keys()
    model.load_state_dict({name: weights[name] for name in wanted}, assign=True)
    return model.eval().requires_grad_(False)


class _Embeddings(nn.Module):
    def __init__(self, shape: BertShape) -> None:
        super().__init__()
        width = shape.hidden_size
        self.word_embeddings = nn.Embedding(shape.vocab_size, width)
        self.position_embeddings = nn.Embedding(shape.max_position_embeddings, width)
        self.token_type_embeddings = nn.Embedding(shape.type_vocab_size, width)
        self.LayerNorm = nn.LayerNorm(width, eps=shape.layer_norm_eps)

    def forward(self, token_ids: Tensor) -> Tensor:
        positions = self.position_embeddings.weight[: token_ids.shape[1]]
        segment = self.token_type_embeddings.weight[0]
        summed = self.word_embeddings(token_ids) + positions + segment
        return cast(Tensor, self.LayerNorm(summed))


class _SelfAttention(nn.Module):
    def __init__(self, shape: BertShape) -> None:
        super().__init__()
        self.heads = shape.num_attention_heads
        self.query = nn.Linear(shape.hidden_size, shape.hidden_size)
        self.key = nn.Linear(shape.hidden_size, shape.hidden_size)
        self.value = nn.Linear(shape.hidden_size, shape.hidden_size)

    def forward(self, hidden: Tensor, visible: Tensor) -> Tensor:
        queries, keys, values = (
            part(hidden).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, H, T, D/H)
            for part in (self.query, self.key, self.value)
        )
        mixed = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=visible)
        return mixed.transpose(1, 2).flatten(-2)


class _Residual(nn.Module):
    """Projection, then the sum with the block's input, then layer norm (post-norm, as BERT is)."""

    def __init__(self, width_in: int, shape: BertShape) -> None:
        super().__init__()
        self.dense = nn.Linear(width_in, shape.hidden_size)
        self.LayerNorm = nn.LayerNorm(shape.hidden_size, eps=shape.layer_norm_eps)

    def forward(self, inner: Tensor, residual: Tensor) -> Tensor:
        return cast(Tensor, self.LayerNorm(self.dense(inner) + residual))


class _Layer(nn.Module):
    def __init__(self, shape: BertShape) -> None:
        super().__init__()
        self.attention = nn.ModuleDict(
            {"self": _SelfAttention(shape), "output": _Residual(shape.hidden_size, shape)}
        )
        self.intermediate = nn.ModuleDict(
            {"dense": nn.Linear(shape.hidden_size, shape.intermediate_size)}
        )
        self.output = _Residual(shape.intermediate_size, shape)

    def forward(self, hidden: Tensor, visible: Tensor) -> Tensor:
        attended = self.attention["output"](self.attention["self"](hidden, visible), hidden)
        widened = functional.gelu(self.intermediate["dense"](attended))
        return cast(Tensor, self.output(widened, attended))

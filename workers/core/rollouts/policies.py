"""Language models as policies: all weights of a model, or an adapter beside others on one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from workers.core.rollouts.base import EngineError, Ids, Messages, OptimiserName
from workers.core.weights import nano
from workers.core.weights.adapters import lora_config
from workers.core.weights.files import first_line
from workers.core.weights.models import find_model, load_model, load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """A policy and what it trains: an adapter of this `rank` on a model, or, with 0, all its
    weights. `start` holds what an earlier training has learned, as `Policy.tensors` tells it.
    `exact`: the model below an adapter has numbers of 32 bits even where 16 are faster."""

    model: str
    rank: int = 0
    alpha: int = 0
    start: Mapping[str, Tensor] | None = None
    optimiser: OptimiserName = "adamw"
    exact: bool = False

    @property
    def scale(self) -> int:
        return self.alpha or 2 * self.rank


@dataclass(frozen=True, slots=True)
class Policy:
    """`learned`: what is trained, by name. `stops`: tokens that end an answer. `length`: limit of
    prompt and answer together, in tokens. `rank`: of the adapter; 0: none."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    adapter: str | None
    learned: dict[str, Tensor]
    stops: frozenset[int]
    length: int
    rank: int = 0

    @property
    def pad(self) -> int:
        return int(self.tokenizer.pad_token_id)

    def prompt(self, messages: Messages, *, now: datetime | None = None) -> Ids:
        return prompt_ids(self.tokenizer, messages, now=now)

    def answer(self, text: str) -> Ids:
        return answer_ids(self.tokenizer, text)

    def text(self, tokens: Ids) -> str:
        told: str = self.tokenizer.decode(tokens, skip_special_tokens=True)
        return told

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """With the policy's adapter alone. Nothing is dropped out, so that a policy is trained as
        it sampled."""
        if self.adapter is not None:
            self.model.set_adapter(self.adapter)
        self.model.eval()
        yield

    def tensors(self) -> dict[str, Tensor]:
        """A copy of what it has learned, on the CPU."""
        return {key: each.detach().cpu().clone().contiguous() for key, each in self.learned.items()}

    @torch.no_grad()
    def put(self, tensors: Mapping[str, Tensor]) -> None:
        """Raises EngineError for those of another model or rank, and then has put nothing."""
        for key in sorted(self.learned.keys() | tensors.keys()):
            have = tuple(tensors[key].shape) if key in tensors else None
            want = tuple(self.learned[key].shape) if key in self.learned else None
            if have != want:
                raise EngineError(
                    code="other_weights",
                    message=f"The saved weights do not fit: “{key}” is {have or 'missing'} there, "
                    f"and {want or 'missing'} in the model.",
                    remedy="Choose the model and the rank that they were trained with.",
                )
        for key, parameter in self.learned.items():
            parameter.copy_(tensors[key])


def prompt_ids(
    tokenizer: PreTrainedTokenizerBase, messages: Messages, *, now: datetime | None = None
) -> Ids:
    """See `PolicyEngine.prompt`. `now`: what a template is told that asks for the date, as Llama
    3's does; None: the date of now. Raises EngineError for a chat that the model has no form for,
    and for letters that the tokenizer lacks."""
    from jinja2 import TemplateError

    try:
        ids = tokenizer.apply_chat_template(
            [dict(message) for message in messages],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=False,
            chat_template=dated(tokenizer.get_chat_template(), now) if now else None,
        )
    except (TemplateError, ValueError) as error:
        raise EngineError(
            code="not_a_chat",
            message=f"The model reads no such chat: {first_line(error)}.",
            remedy="Choose a model that follows instructions and takes a system message.",
        ) from error
    # Some models mark the ends of messages with the same token.
    ends = {tokenizer.bos_token_id, tokenizer.eos_token_id}
    if tokenizer.unk_token_id in {*ids} - ends - {None}:
        raise EngineError(
            code="unreadable_prompt",
            message="The model has no sign for a part of the prompt.",
            remedy="Choose a language model. nano reads boards of at most 10 × 10 cells alone.",
        )
    return tuple(ids)


DIRECTIVES = [*"aAbBcdfHIjmMpSUwWxXyYzZ", *(f"-{each}" for each in "dHIjmMS")]
"""Of strftime."""


def dated(template: str, now: datetime) -> str:
    """The template, in which `strftime_now` takes this for now. transformers passes no function to
    a template, so a macro of that name stands before it."""
    if "strftime_now" not in template:
        return template
    told = ((f"%{each}", now.strftime(f"%{each}")) for each in DIRECTIVES)
    replaced = "".join(f"|replace({json.dumps(one)}, {json.dumps(by)})" for one, by in told)
    return (
        f"{{% macro strftime_now(format) %}}{{{{ format{replaced} }}}}{{% endmacro %}}\n{template}"
    )


def answer_ids(tokenizer: PreTrainedTokenizerBase, text: str) -> Ids:
    """See `PolicyEngine.answer`."""
    return (*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id)


def load_policies(policies: Mapping[str, PolicySpec], *, seed: int) -> dict[str, Policy]:
    """Those that adapt the same model share its weights. Raises MethodError."""
    shared: dict[str, PreTrainedModel] = {}
    return {name: _loaded(name, spec, shared, seed) for name, spec in policies.items()}


def _loaded(name: str, spec: PolicySpec, shared: dict[str, PreTrainedModel], seed: int) -> Policy:
    source = find_model(spec.model)
    tokenizer = load_tokenizer(source)
    adapter = name if spec.rank else None
    model: Any
    if adapter is None:
        model = load_model(source, "language", exact=True)
        if spec.model == nano.NAME and spec.start is None:
            nano.begin_anew(model, seed)
        learned = dict(model.named_parameters())
    else:
        from peft import get_peft_model

        lora = lora_config(spec.rank, spec.scale, "CAUSAL_LM")
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            if spec.model in shared:
                model = shared[spec.model]
                model.add_adapter(adapter, lora)
            else:
                base = load_model(source, "language", exact=spec.exact)
                model = get_peft_model(base, lora, adapter_name=adapter)
                shared[spec.model] = model
        learned = {
            key.replace(f".{adapter}.", "."): parameter
            for key, parameter in model.named_parameters()
            if ".lora_" in key and f".{adapter}." in key
        }
    policy = Policy(
        model=model,
        tokenizer=tokenizer,
        adapter=adapter,
        learned=learned,
        stops=_stops(model, tokenizer),
        length=int(getattr(model.config, "max_position_embeddings", 0)) or MOST_LENGTH,
        rank=spec.rank,
    )
    if spec.start is not None:
        policy.put(spec.start)
    return policy


MOST_LENGTH = 4_096
"""The limit of prompt and answer for a model that names none."""


def _stops(model: Any, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """The tokens that end an answer, of the model's and the tokenizer's configuration."""
    told = model.generation_config.eos_token_id
    ends = told if isinstance(told, list) else [told]
    return frozenset(int(end) for end in (*ends, tokenizer.eos_token_id) if end is not None)

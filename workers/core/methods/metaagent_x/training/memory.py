"""What a training of MetaAgent-X takes of memory. One that does not fit is refused before it
starts. Light to import: it doesn't need torch."""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.worlds import World
from workers.core.rollouts import memory
from workers.core.rollouts.memory import Estimate, Learned, Load, Sampled, estimate
from workers.core.specs import TaskSpec
from workers.core.weights.local import known_shape
from workers.core.weights.models import find_model, load_tokenizer

LOOKED_AT = 32
"""Tasks whose prompts are measured."""
PROMPT = 768
"""Tokens of a designer's prompt that is not known yet."""
CALLS = 3
"""Agent calls of an execution, about. How many there are is what a training learns."""


def known_memory(config: MetaAgentXTrainingConfig) -> Estimate | None:
    """For a page, before there are tasks. None: the model is not here yet."""
    shape = known_shape(config.model)
    return None if shape is None else estimate(shape, load_of(config, prompt=PROMPT))


def require_room(
    config: MetaAgentXTrainingConfig, tasks: Sequence[TaskSpec], world: World, *, ranks: int
) -> None:
    """Raises MethodError if the training does not fit."""
    from workers.core.rollouts.policies import prompt_ids

    tokenizer = load_tokenizer(find_model(config.model))
    prompt = max(
        len(prompt_ids(tokenizer, world.designer_messages(task)))
        for task in sorted(tasks, key=lambda task: len(task.query))[-LOOKED_AT:]
    )
    load = load_of(config, prompt=prompt, ranks=ranks)
    memory.require_room(config.model, load, longest=prompt)


def load_of(config: MetaAgentXTrainingConfig, *, prompt: int, ranks: int = 1) -> Load:
    """`prompt`: tokens of the longest one of a designer."""
    answer = max(config.design_tokens, config.max_tokens)
    designs = config.questions_per_step * config.designs
    calls = designs * config.executions * CALLS
    sampled = [Sampled(config.held_out, 1)] if config.held_out else []
    learned = [Learned(config.cold_questions * CALLS, 1)] if config.cold_steps else []
    if config.steps:
        sampled += [Sampled(config.questions_per_step, config.designs), Sampled(calls, 1)]
        learned += [
            Learned(-(-config.questions_per_step // config.updates), config.designs),
            Learned(-(-calls // config.updates), 1),
        ]
    return Load(
        policies=1 if config.level == "shared" else 2,
        rank=config.adapter_rank(),
        prompt=prompt,
        answer=answer,
        sampled=tuple(sampled) if config.engine == "in_process" else (),
        learned=tuple(learned),
        ranks=ranks,
        exact=config.exact,
    )

"""What a training of AT-GRPO takes of memory. One that does not fit is refused before it starts.
Light to import: it doesn't need torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workers.core.environments.base import Environment
from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig
from workers.core.methods.at_grpo.trees import messages_for
from workers.core.rollouts import memory
from workers.core.rollouts.memory import Estimate, Learned, Load, Sampled, estimate
from workers.core.specs import TaskSpec
from workers.core.weights.local import known_shape
from workers.core.weights.models import find_model, load_tokenizer

LOOKED_AT = 32
"""Tasks whose prompts are measured: those with the longest questions."""
PROMPT, LETTERS = 256, 64
"""Tokens of a prompt that is not known yet, in sentences and in letters."""
CHARS = 2
"""The least characters of a token, in programs and numbers."""
HEADING = 16
"""Tokens around a text that a prompt has of others."""


def known_memory(config: AtGrpoTrainingConfig) -> Estimate | None:
    """For a page, before there are tasks. None: the model is not here yet."""
    shape = known_shape(config.model)
    agents = 2 if config.plays == "both" else 1
    prompt = LETTERS if config.wording == "letters" else PROMPT
    if agents == 2:
        # All teams whose agents write programs read as much of each other.
        prompt += config.max_tokens * (1 if config.proposes == "answer" else 3)
    return None if shape is None else estimate(shape, load_of(config, agents, prompt=prompt))


def require_room(
    config: AtGrpoTrainingConfig,
    tasks: Sequence[TaskSpec],
    environment: Environment[Any],
    *,
    ranks: int,
) -> None:
    """Raises MethodError if the training does not fit."""
    from workers.core.rollouts.policies import prompt_ids

    tokenizer = load_tokenizer(find_model(config.model))
    agents = range(len(environment.roles))
    states = [
        environment.begin(task)
        for task in sorted(tasks, key=lambda task: len(task.query))[-LOOKED_AT:]
    ]
    first = [
        max(len(prompt_ids(tokenizer, messages_for(environment, state, agent))) for state in states)
        for agent in agents
    ]
    last = [first[agent] + heard_tokens(environment, agent, config) for agent in agents]
    load = load_of(config, len(agents), prompt=max(last), ranks=ranks)
    memory.require_room(config.model, load, longest=max(first))


def heard_tokens(environment: Environment[Any], agent: int, config: AtGrpoTrainingConfig) -> int:
    """What the agent's prompt of the last turn has beyond that of the first. No text is counted as
    longer than an answer: nearly all programs print less than they are long."""
    texts = environment.heard(agent, order=config.order, later=config.turns > 1)
    return sum(min(chars // CHARS, config.max_tokens) + HEADING for chars in texts)


def load_of(config: AtGrpoTrainingConfig, agents: int, *, prompt: int, ranks: int = 1) -> Load:
    """`prompt`: tokens of the longest one, in the last turn."""
    policies = 1 if config.level == "shared" else agents
    played = agents // policies
    sampled = [Sampled(config.held_out, 1)] if config.held_out else []
    learned = [Learned(config.cold_episodes * played, 1)] if config.cold_steps else []
    if config.steps:
        sampled.append(Sampled(config.episodes_per_step, config.branches))
        groups = config.episodes_per_step * config.turns * played
        learned.append(Learned(-(-groups // config.updates), config.branches))
    return Load(
        policies=policies,
        rank=config.adapter_rank(),
        prompt=prompt,
        answer=config.max_tokens,
        sampled=tuple(sampled) if config.engine == "in_process" else (),
        learned=tuple(learned),
        ranks=ranks,
        exact=config.exact,
    )

"""Makes what a method learns with from the job's row: clients, embedder and config."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from apps.agents.own import profiles_of
from apps.checkpoints.folders import checkpoint_folder
from apps.training.models import TrainingJob
from apps.training.selectors import model_of
from workers.core.checkpoints import read_info
from workers.core.embed.base import Embedder
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.llm.client import OpenAIClient
from workers.core.llm.spending import Spending, Spent
from workers.core.specs import EndpointSpec, PoolSpec, SystemBudget, TrainingBudget, Usage
from workers.core.tools.toolbox import Toolbox
from workers.core.training.context import UNASKED, Pulse, StopSwitch, TrainingContext
from workers.core.training.traces import Trace
from workers.tasks.answers import StoredAnswers
from workers.tasks.learning.promises import Promises
from workers.tasks.tool_settings import tool_settings


@dataclass(frozen=True, slots=True)
class Equipment:
    """The learning method's context. It lives on one loop."""

    client: Spending
    answers: StoredAnswers
    embedder: Embedder
    toolbox: Toolbox


@asynccontextmanager
async def equipped(job: TrainingJob) -> AsyncIterator[Equipment]:
    connections, answers, embedder = OpenAIClient(), StoredAnswers(), MiniLMEmbedder()
    toolbox = Toolbox(tool_settings(), spare=True)
    promises = Promises(job.id, job.attempt)
    try:
        budget = TrainingBudget.model_validate(job.budget)
        client = Spending(connections, spent_before(job), budget, promises)
        yield Equipment(client, answers, embedder, toolbox)
    finally:
        await connections.close()
        await promises.close()
        await answers.close()
        await toolbox.close()
        embedder.close()


def spent_before(job: TrainingJob) -> Spent:
    """What earlier attempts spent. The split into prompts and completions is not kept."""
    completion = None if job.tokens is None else 0
    usage = Usage(prompt_tokens=job.tokens, completion_tokens=completion, cost=job.cost)
    return Spent(usage, tokens=job.charged_tokens, cost=job.charged_cost)


def training_context(
    job: TrainingJob,
    folder: Path,
    equipment: Equipment,
    traces: tuple[Trace, ...],
    *,
    stop: StopSwitch,
    pulse: Pulse,
) -> TrainingContext:
    """Raises CheckpointError if the checkpoint to start from is gone, and ValidationError."""
    start_from = checkpoint_folder(job.start_from) if job.start_from else None
    if start_from is not None:
        read_info(start_from, method=job.method)
    return TrainingContext(
        llm=equipment.client,
        endpoint=EndpointSpec.model_validate(job.endpoint_spec) if job.endpoint_spec else UNASKED,
        seed=job.seed,
        folder=folder,
        config=job.config,
        pool=PoolSpec.model_validate(job.pool_version.spec) if job.pool_version else None,
        embedder=equipment.embedder,
        start_from=start_from,
        endpoints={spec["key"]: EndpointSpec.model_validate(spec) for spec in job.endpoint_specs},
        profiles=profiles_of(job.profiles) if job.profiles else (),
        traces=traces,
        checkpoints=settings.DATA_DIR / "checkpoints",
        per_system=SystemBudget.model_validate(job.per_system),
        cache=equipment.answers,
        toolbox=equipment.toolbox,
        stop=stop,
        pulse=pulse,
        vllm_urls=settings.VLLM_URLS,
        ranks=settings.TRAINING_RANKS,
        recipe=recipe_of(job),
    )


def recipe_of(job: TrainingJob) -> dict[str, Any]:
    """What its checkpoints record about how they were made."""
    version, (endpoint, model) = job.pool_version, model_of(job)
    return {
        "kind": "training",
        "job": str(job.id),
        "name": job.name,
        "method": job.method,
        "preset": job.preset,
        "config": job.config,
        "seed": job.seed,
        "code_version": job.code_version,
        "dataset": job.dataset.key if job.dataset else "",
        "dataset_digest": job.dataset_digest,
        "split": job.split,
        "limit": job.limit,
        "pool": version.key if version else None,
        "pool_version": version.version if version else None,
        "pool_digest": version.digest if version else None,
        "profiles_digest": job.profiles.digest if job.profiles else None,
        "endpoint": endpoint,
        "model": model,
        "endpoints": [each.get("key") for each in job.endpoint_specs],
        "start_from": job.start_from or None,
        "budget": job.budget,
        "per_system": job.per_system,
    }

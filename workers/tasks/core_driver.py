"""What all runs of a worker share: client, cache, embedder, checkpoints, tools."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path

from django.conf import settings

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import Event
from workers.core.llm.cache import CachingClient, MemoryCache
from workers.core.llm.client import OpenAIClient
from workers.core.methods.base import BeginsUntrained, Method
from workers.core.methods.registry import METHODS
from workers.core.run import Cancellation, run_execute
from workers.core.specs import RunSpec
from workers.core.tools.toolbox import Toolbox
from workers.tasks.answers import StoredAnswers
from workers.tasks.pictures import PictureStore
from workers.tasks.tool_settings import tool_settings


class CoreDriver:
    """Executes runs on the engine's loop. It loads nothing before a run needs it.

    Kept answers come from memory. Runs of an evaluation (`stream` False) also use those in
    Postgres, as trainings do. A person's run never waits for Postgres. Runs of an evaluation keep
    no pictures: they are too many.
    """

    def __init__(self, methods: Mapping[str, Method] = METHODS) -> None:
        self._methods = methods
        self._connections = OpenAIClient()
        memory = MemoryCache()
        self._client = CachingClient(self._connections, memory)
        self._answers = StoredAnswers(memory)
        self._batch_client = CachingClient(self._connections, self._answers)
        self._embedder = MiniLMEmbedder()
        self._toolbox = Toolbox(tool_settings(), spare=True)
        self._pictures = PictureStore()
        self._initial = asyncio.Lock()

    async def events(
        self, run_id: str, spec: RunSpec, cancel: Cancellation
    ) -> AsyncGenerator[Event]:
        """The run's events, from `run_started` to the terminal one."""
        events = run_execute(
            spec,
            client=self._client if spec.stream else self._batch_client,
            embedder=self._embedder,
            checkpoint_path=await self._checkpoint(spec),
            methods=self._methods,
            cancel=cancel,
            toolbox=self._toolbox,
            pictures=self._pictures.of_run(run_id) if spec.stream else None,
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def close(self) -> None:
        await self._connections.close()
        await self._answers.close()
        await self._toolbox.close()
        await self._pictures.close()
        self._embedder.close()

    async def _checkpoint(self, spec: RunSpec) -> Path | None:
        """The folder of the named checkpoint. Without a name, that of the method's untrained
        checkpoint, if the method needs one."""
        folder = settings.DATA_DIR / "checkpoints"
        if spec.checkpoint is not None:
            return Path(folder / spec.checkpoint)
        method = self._methods.get(spec.method)
        if not isinstance(method, BeginsUntrained):
            return None
        async with self._initial:
            return await asyncio.to_thread(method.untrained, folder)

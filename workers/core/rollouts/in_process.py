"""The engine that samples where it trains, in this process.

Sampling uses the weights of now at all times, so what has learned is published before it samples.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from workers.core.rollouts.base import Ids, Sample, Sampling
from workers.core.rollouts.generating import generate
from workers.core.rollouts.learning import Learner
from workers.core.rollouts.memory import MOST_ROWS
from workers.core.rollouts.policies import PolicySpec
from workers.core.rollouts.recorded import Recordings
from workers.core.rollouts.trainable import require_length
from workers.core.weights.models import device


class InProcessEngine(Learner):
    """See `Learner` for what it raises."""

    def __init__(
        self,
        policies: Mapping[str, PolicySpec],
        *,
        seed: int,
        broken_off: threading.Event | None = None,
    ) -> None:
        super().__init__(policies, seed=seed, broken_off=broken_off)
        self._recordings = Recordings() if device().type == "cuda" else None

    def sample(
        self, policy: str, prompts: Sequence[Ids], n: int, sampling: Sampling
    ) -> list[list[Sample]]:
        own = self._policies[policy]
        require_length(own.policy, max(map(len, prompts), default=0) + sampling.max_tokens)
        at_once = max(1, MOST_ROWS // n)
        made: list[list[Sample]] = []
        with own.policy.at_work():
            for start in range(0, len(prompts), at_once):
                made += generate(
                    own.policy.model,
                    prompts[start : start + at_once],
                    n,
                    Sampling(sampling.max_tokens, sampling.seed + start, sampling.temperature),
                    stop=own.policy.stops,
                    pad=own.policy.pad,
                    version=own.version,
                    recordings=self._recordings,
                    require_use=self._require_use,
                )
        return made

"""Stores an agent database as a checkpoint: the dynamic profile of each agent, R(a), C(a) and n(a)
(ReSo, EMNLP 2025, §3).

Legend of arrays, an entry per agent (A,): `reward` and `cost` float64, `count` int64. The
checkpoint's `config` names the agents: a role and an endpoint, by their keys.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from workers.core.agents.database import AgentKey, Statistics
from workers.core.checkpoints import (
    CheckpointError,
    CheckpointInfo,
    load_arrays,
    save_arrays,
    unusable,
)

TENSORS = ("reward", "cost", "count")


class _Agents(BaseModel):
    model_config = ConfigDict(extra="ignore")

    agents: list[tuple[str, str]]


def save_profiles(
    folder: Path, profiles: Mapping[AgentKey, Statistics], info: CheckpointInfo
) -> CheckpointInfo:
    """Raises CheckpointError if the disk refuses."""
    keys = sorted(profiles, key=lambda key: (key.role, key.endpoint))
    known = [profiles[key] for key in keys]
    arrays: dict[str, NDArray[np.generic]] = {
        "reward": np.array([each.reward for each in known], dtype=np.float64),
        "cost": np.array([each.cost for each in known], dtype=np.float64),
        "count": np.array([each.count for each in known], dtype=np.int64),
    }
    config: dict[str, Any] = {"agents": [[key.role, key.endpoint] for key in keys]}
    return save_arrays(folder, arrays, info.model_copy(update={"config": config}))


def load_profiles(
    folder: Path, *, method: str
) -> tuple[CheckpointInfo, dict[AgentKey, Statistics]]:
    """`method`: the method that must have made it. Raises CheckpointError if it can't be read or
    its statistics are not numbers."""
    info, arrays = load_arrays(folder, method=method)
    try:
        agents = _Agents.model_validate(info.config).agents
        columns = [arrays[name].tolist() for name in TENSORS]
        found = {
            AgentKey(role, endpoint): Statistics(float(reward), float(cost), int(count))
            for (role, endpoint), reward, cost, count in zip(agents, *columns, strict=True)
        }
    except (ValidationError, KeyError, ValueError, TypeError, OverflowError) as error:
        raise _broken(folder, "is not an agent database") from error
    if not all(statistics.is_sound() for statistics in found.values()):
        raise _broken(folder, "has statistics that are not numbers")
    return info, found


def profiles_in(folder: Path | None, *, method: str) -> dict[AgentKey, Statistics]:
    """The statistics that a run or a training starts with; None: nothing is known. Raises
    MethodError."""
    if folder is None:
        return {}
    try:
        return load_profiles(folder, method=method)[1]
    except CheckpointError as error:
        raise unusable(error) from error


def _broken(folder: Path, what: str) -> CheckpointError:
    return CheckpointError(
        code="corrupt",
        message=f"The checkpoint {folder.name} {what}. Restore it or train it again.",
    )

"""Where a training lies below the data folder.

training/<job id>/               its state, tasks, TensorBoard files
training/<job id>/checkpoints/   what it saved
"""

import shutil
from pathlib import Path
from uuid import UUID

from django.conf import settings


def training_folder(job_id: UUID | str) -> Path:
    return Path(settings.DATA_DIR / "training" / str(job_id))


def saved_folder(job_id: UUID, name: str) -> Path:
    return training_folder(job_id) / "checkpoints" / Path(name).name


def unsave(job_id: UUID, name: str) -> None:
    shutil.rmtree(saved_folder(job_id, name), ignore_errors=True)

"""Which datasets a team can be trained on."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from apps.setups.learning import learning_methods
from apps.tasks.models import Dataset, Task
from workers.core.errors import Failure, MethodError
from workers.core.methods.base import TrainableTeam, TrainsTeams

LEARNED_FROM = Task.Split.TRAIN


@dataclass(frozen=True, slots=True)
class TrainableDataset:
    """`tasks`: how many a training learns from. Either `team` or `problem` is None."""

    key: str
    name: str
    tasks: int
    team: TrainableTeam | None
    problem: Failure | None


def trainable_datasets(method_key: str) -> list[TrainableDataset] | None:
    """All datasets, by key. One task of each kind is looked at; the training looks at all of them.
    None: there is no such method, or it trains no teams."""
    method = learning_methods().get(method_key)
    if not isinstance(method, TrainsTeams):
        return None
    judged = Q(tasks__split=LEARNED_FROM) & ~Q(tasks__verifier="")
    datasets = Dataset.objects.annotate(judged=Count("tasks", filter=judged)).order_by("key")
    kinds = _kinds()
    return [_trainable(method, dataset, dataset.judged, kinds[dataset.pk]) for dataset in datasets]


def _kinds() -> dict[int, list[Task]]:
    """Of each dataset the first task of each verifier with a reference, and without one."""
    firsts = (
        Task.objects.filter(split=LEARNED_FROM)
        .exclude(verifier="")
        .annotate(is_open=Q(reference=""))
        .order_by("dataset_id", "verifier", "is_open", "index")
        .distinct("dataset_id", "verifier", "is_open")
    )
    kinds: dict[int, list[Task]] = defaultdict(list)
    for task in firsts:
        kinds[task.dataset_id].append(task)
    return kinds


def _trainable(
    method: TrainsTeams, dataset: Dataset, count: int, tasks: list[Task]
) -> TrainableDataset:
    team, problem = None, None
    if not tasks:
        problem = Failure(
            code="no_tasks",
            message=_("The split “%(split)s” has no task that can be judged.")
            % {"split": LEARNED_FROM},
            remedy=_("Import tasks with a verifier into this split."),
        )
    else:
        try:
            team = method.team_for([task.spec() for task in tasks])
        except MethodError as error:
            problem = error.failure()
    return TrainableDataset(dataset.key, dataset.name, count, team, problem)

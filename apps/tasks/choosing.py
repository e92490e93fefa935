"""The dataset and the split for a training or an evaluation."""

from django.utils.translation import gettext as _

from apps.common.errors import FieldError
from apps.tasks.models import Dataset, Task


def chosen_dataset(key: str, split: str, errors: list[FieldError]) -> Dataset | None:
    """None, with the cause in `errors`, if there is no such dataset or its split is empty."""
    dataset = Dataset.objects.filter(key=key).first()
    if dataset is None:
        known = ", ".join(Dataset.objects.values_list("key", flat=True)[:20])
        choice = _("Use one of: %(known)s.") % {"known": known} if known else _("Import one first.")
        message = _("There is no dataset “%(dataset)s”. %(choice)s") % {
            "dataset": key[:63],
            "choice": choice,
        }
        errors.append(FieldError("dataset", "unknown_dataset", message))
        return None
    if split not in Task.Split.values:
        message = _("There is no split “%(split)s”. Use one of: %(splits)s.") % {
            "split": split[:63],
            "splits": ", ".join(Task.Split.values),
        }
        errors.append(FieldError("split", "unknown_split", message))
        return None
    if not dataset.tasks.filter(split=split).exists():
        message = _("The split “%(split)s” of “%(key)s” has no tasks. Import some.") % {
            "split": split,
            "key": dataset.key,
        }
        errors.append(FieldError("split", "split_empty", message))
        return None
    return dataset

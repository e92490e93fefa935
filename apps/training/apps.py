from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TrainingConfig(AppConfig):
    name = "apps.training"
    verbose_name = _("Training")

    def ready(self) -> None:
        """Ended trainings count, too: the checkpoint is the only record of what they had
        learned."""
        from apps.checkpoints.uses import USERS
        from apps.designs.taking import BEGINNINGS
        from apps.training.models import TrainingJob
        from apps.training.taking import (
            DESIGN_FIELD,
            FIELD,
            beginning_of_design,
            beginning_of_sample,
        )

        BEGINNINGS[FIELD] = beginning_of_sample
        BEGINNINGS[DESIGN_FIELD] = beginning_of_design
        named = TrainingJob.objects.filter
        USERS.append(
            (_("trainings that start from it"), lambda name: named(start_from=name).exists())
        )
        USERS.append(
            (
                _("trainings that use its rewards"),
                lambda name: named(config__reward_checkpoint=name).exists(),
            )
        )

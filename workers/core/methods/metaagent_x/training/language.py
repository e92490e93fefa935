"""The studio's own world: stub for now."""

from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.worlds import World
from workers.core.training.context import TrainingContext


class LanguageWorld:
    @staticmethod
    def made(config: MetaAgentXTrainingConfig, context: TrainingContext) -> World:
        raise NotImplementedError

"""The names of the metrics of EvoMAS's trainings."""

from workers.core.methods.evomas.config import ENSEMBLE, EXIT
from workers.core.training.metrics import ENDPOINT, GRADIENT, OUTCOME, SPENT, MetricSpec

ROLES = {
    "io": "I/O",
    "multi_generate": "Multi-generate",
    "self_refine": "Self-refine",
    "web_search": "Web search",
    "web_browser": "Web browser",
    EXIT: "Early exit",
    ENSEMBLE: "Ensemble",
}
LAYERS = range(1, 4)
LEVELS = range(1, 4)


def probability_of(layer: int, role: str) -> str:
    return f"probability_{layer}_{role}"


METRICS = (
    *OUTCOME,
    *(
        MetricSpec(f"{name}_level_{level}", f"{title}, level {level}", "share")
        for name, title in (
            ("accuracy", "Accuracy"),
            ("held_out_accuracy", "Accuracy on held-out tasks"),
        )
        for level in LEVELS
    ),
    MetricSpec("completed", "Tasks with every subtask done", "share", "By the evaluator."),
    MetricSpec("stages", "Stages of a task"),
    MetricSpec("held_out_stages", "Stages of held-out tasks"),
    MetricSpec("calls", "Model calls of a task"),
    MetricSpec("verdict_success", "Stages with the verdict “success”", "share"),
    *(
        MetricSpec(
            probability_of(layer, role),
            f"Probability of {title}, layer {layer}",
            "share",
            "Mean over the stages that reached the layer (p of Eq. 11).",
        )
        for layer in LAYERS
        for role, title in ROLES.items()
    ),
    *(
        MetricSpec(f"entropy_{layer}", f"Entropy of layer {layer}", help="In nats.")
        for layer in LAYERS
    ),
    MetricSpec("baseline", "Baseline", help="Mean of what was subtracted from returns."),
    *GRADIENT,
    *ENDPOINT,
    *SPENT,
)

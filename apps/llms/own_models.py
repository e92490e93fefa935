"""The endpoint of this studio's own language models, which a server of its own answers
(`workers.core.rollouts.serving`)."""

from workers.core.weights import nano

KEY = "studio-models"
DEFAULTS = {
    "name": "Models of this studio",
    "model": nano.NAME,
    "context_length": 512,
    "prompt_price": 0.0,
    "completion_price": 0.0,
    "max_concurrency": 64,
    "parameters": nano.parameters(),
    "parameters_from": "server",
    "allow_private_address": True,
}

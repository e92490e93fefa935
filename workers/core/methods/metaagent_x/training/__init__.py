"""Training: designer and executor change, by supervised steps and by reinforcement learning."""

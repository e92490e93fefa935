"""Training: the models of the team change, by supervised steps and by reinforcement learning."""

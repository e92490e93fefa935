"""Engines that sample from language models and train them: the seam under methods that do
reinforcement learning of the models themselves.

Methods own environments, groups, rewards and schedules; engines own tensors and servers. No method
knows which engine it has. Importing `base` does not load torch.
"""

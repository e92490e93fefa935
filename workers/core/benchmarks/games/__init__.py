"""Games as benchmarks: boards that are drawn from a seed, their rules, and who has solved one.

Importing it does not load torch. Who plays in a team, in which order and for which rewards, is said
in `workers.core.environments`.
"""

"""What a team of agents plays in, turn by turn, and what each of its messages earns (AT-GRPO, arXiv
2510.11062, §3–5).

An environment knows no language model and no training. So a run, an evaluation and a training play
the same episodes by the same rules.
"""

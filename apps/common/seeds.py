"""Seeds of runs, evaluations and trainings: 0 … SEED_LIMIT − 1."""

SEED_LIMIT = 2**31

"""Fakes that speak real protocols, for tests and benchmarks. None is used in production."""

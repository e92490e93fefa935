"""Fakes that speak real protocols, for tests and benchmarks. Nothing here is used in production."""

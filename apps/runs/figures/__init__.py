"""Totals of what agents did in runs: for the roles of a pool, for agents, for all roles."""

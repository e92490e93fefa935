"""What agents did in runs, added up: of a pool's roles, of agents, of all roles."""

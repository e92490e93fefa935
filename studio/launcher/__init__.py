"""`bin/studio`: set-up, the supervisor and the commands. Imports neither Django nor torch."""

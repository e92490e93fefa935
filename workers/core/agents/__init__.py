"""The agent database (ReSo, EMNLP 2025, §3): its agents, and what is known about each."""

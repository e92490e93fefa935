"""The agent database (ReSo, EMNLP 2025, §3): who is searched, and what is known of each."""

"""Serves this studio's own language models over the OpenAI API, in a process of its own.

Local base models by their names, and trained ones as CHECKPOINT:POLICY. Whoever asks the same model
at the same time is answered in one batch, which new callers join at any token.
"""

"""Reads messages: thoughts, programs, quantities, the answer, and whether two answers are equal."""

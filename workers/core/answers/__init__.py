"""Reading a message: thoughts, programs, quantities, the answer, and when two answers are equal."""

"""Judges a program by tests that it can neither read nor change.

The modules of this package run inside the sandbox, joined into one file that needs only the
standard library. The program runs in one process, its tests in another. So nothing that the program
does to `assert`, `sys.exit`, built-in functions, frames, imports or files reaches the tests.

The first process forks. The child runs the program (`program_side`). The parent reads the tests
after the fork, so the child's memory never had them, and calls the program's functions through a
pipe (`judge_side`). Values cross as data (`channel`). Any other object stays in the child, and the
tests get a `Remote` in its place (`remote`).

The sandbox denies the system calls by which one process could look into another.
"""

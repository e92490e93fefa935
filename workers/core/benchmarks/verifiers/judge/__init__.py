"""Judging a program by tests that it can neither read nor change.

The modules of this package run inside the sandbox, joined into one file that needs nothing but the
standard library: a program in one process, the tests that judge it in another. Nothing that the
program does to `assert`, `sys.exit`, built-in functions, frames, imports or files reaches them.

The process that starts forks; the child runs the program (`program_side`), the parent reads the
tests, after the fork, so that the child's memory never held them, and calls the program's functions
through a pipe (`judge_side`). Values cross as data (`channel`); an object that is none stays in the
child, and the tests hold a `Remote` in its place (`remote`).

The sandbox denies the system calls by which one process could look into another.
"""

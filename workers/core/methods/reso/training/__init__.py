"""How ReSo's database learns, step by step: ask, judge, record, save, report.

A step solves some queries with what is known. Then it records the reward of every judged answer, in
the order of the queries, their subtasks and the candidates' ranks. So the same seed and the same
answers give the same database, in any order of arrival. The state is written before the step's
events are yielded, and the events are repeated on resumption. So a process that dies in between
loses no step, and a reader that stores each step once has none twice.
"""

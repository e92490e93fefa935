"""How ReSo's database learns: ask, judge, record, save, tell; a step after the other.

A step solves some queries with what is known, then records what every judged answer earned, in the
order of the queries, their subtasks and the candidates' ranks: so the same seed and the same
answers give the same database, whoever is answered first. Its state is written before its events
are yielded, and these are told again on resumption: a process that dies in between loses no step,
and who stores each step once doubles none.
"""

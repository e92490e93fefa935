"""The training: a step solves some tasks several times with drawn workflows, and moves the adapter
by REINFORCE (EvoMAS, §3.3).

A step is a function of the seed, its number, the weights and the answers of the endpoint. So a
training that is resumed equals one that was never stopped.
"""

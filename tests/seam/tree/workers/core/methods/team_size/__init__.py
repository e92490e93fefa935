"""Team size: learns how many solvers to ask. A softmax over sizes is a gradient bandit
(Sutton and Barto 2018, §2.8) whose baseline is the mean reward of its step."""

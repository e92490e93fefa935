"""Tunes small models of ReSo with LoRA, as a training (ReSo, EMNLP 2025, §3).

There are two: the planner f_task, by supervised fine-tuning on task graphs, and the neural reward
model of CRM, on answers that the rule can judge. A tuning first gathers its examples, asks the
endpoint if it must, and then takes optimizer steps. Killed at any time, it continues where it was.

1. The planner is a policy of the engine (`workers.core.rollouts`) that learns from demonstrations:
   the mean of −log π per token of a plan. A test compares loss and gradient with those of trl's
   `SFTTrainer`. A plan ends with the token that ends an answer. What a chat template puts after it,
   such as a line break, is not learned.
2. The learning rate falls evenly to 0, the trainer's default: the paper names no schedule.
3. Nothing is dropped out, neither by LoRA nor by the model: a step depends only on its weights and
   examples. The order of the examples is a pure function of seed and step.
4. A model without a suitable head gets one with a single label, r = σ(logit), and binary
   cross-entropy: each answer to a subtask is one step of the process.
5. A process reward model of the kind of Qwen2.5-Math-PRM, which the paper fine-tunes, keeps its own
   head, and r is that of an answer's last step. LoRA adapts all its linear layers, including the
   head's two. The published code adapts those two and the projections of queries and values.
"""

"""Small models of ReSo tuned with LoRA, as a training job (ReSo, EMNLP 2025, §3).

Two can be: the planner f_task, by supervised fine-tuning on task graphs, and the neural reward
model of CRM, on answers whose worth the rule knows. A tuning first gathers its examples, asking the
endpoint where it must, and then takes optimizer steps; killed at any time it goes on where it was.

1. The planner's prompts, masks and loss are those of trl's `SFTTrainer`; its own loop is not used.
   That one resumes from files of pickled state at the steps of its checkpoints, and ours after
   every step from what can be read without running anything. So the trainer is asked for the loss
   of a batch, and the order of the examples is a pure function of seed and step.
2. The learning rate falls evenly to 0, as with the trainer's defaults: the paper names no schedule.
3. Nothing of LoRA is dropped out: a step depends on its seed alone.
4. A model without a head for it gets one of a single label, r = σ(logit), and binary
   cross-entropy: each answer to a subtask is one step of the process.
5. A process reward model of the kind of Qwen2.5-Math-PRM, which the paper fine-tunes, keeps its own
   head, and r is of an answer's last step. LoRA adapts all its linear layers, the head's two among
   them; the published code those two and the projections of queries and values.
"""

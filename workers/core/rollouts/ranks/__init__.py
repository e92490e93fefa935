"""An engine whose updates are computed by several processes, one for each GPU.

torchrun starts them in a process session: a Celery worker may not fork. Every rank has an equal
engine. What learns is called on all of them: a batch is split, and its gradients are added up
(`workers.core.rollouts.learning`). Everything else, such as sampling, is called on rank 0 alone.
"""

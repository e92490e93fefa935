"""The engine that samples from vLLM servers and trains in this process.

Policies are LoRA adapters. A version of a policy is published as a folder of its own, which every
server loads under a name of its own: vLLM's prefix cache keeps what a name stood for (vllm#42125).
Servers need `--enable-lora --enable-scale-out` and VLLM_ALLOW_RUNTIME_LORA_UPDATING. They read the
folder of the training under the same path as this process.
"""

"""Teaches a nano model what a way looks like, not where it leads."""

import random
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

TAUGHT = "taught"
"""What it is called as the base of a training's adapters. On nano itself they are refused."""
STEPS, WAYS = 40, 16


def teach_ways(folder: Path) -> None:
    """For boards of 4 × 4 cells, with words that stand in no order."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    generator = random.Random(0)
    cells = [f"{row}{column}" for row in "abcd" for column in "abcd"]
    for _ in range(STEPS):
        ways = ["A|" + "".join(generator.choices(cells, k=3)) + "</s>" for _ in range(WAYS)]
        ids = tokenizer(ways, return_tensors="pt", add_special_tokens=False)["input_ids"]
        labels = ids.masked_fill(torch.arange(ids.shape[1]) < 2, -100)
        model(ids, labels=labels).loss.backward()
        optimiser.step()
        optimiser.zero_grad()
    model.save_pretrained(folder)

"""What a training of language models takes of memory, as told before it starts. Importing it
loads no torch.

Legend: L tokens of a row, G rows that are computed at once, A answers in a row, T tokens of one.

Measured as the largest resident memory (without mapped files) of two updates on two CPU cores in
32 bits, above what the process had before it loaded the model:

- nano, all weights, prompts of 60 tokens and 64 × 8 answers of 32: 2.75 GB; estimate 2.85 (+3 %).
- 135M parameters (the shape of SmolLM2), all weights, 150, 2 × 8 of 48: 6.0 GB; 6.9 (+15 %).
- Qwen2.5-Coder-0.5B, rank 16, 200, 2 × 4 of 64: 7.9 GB; 7.5 (−5 %).

Sampling was 0.14, 0.35 and 0.10 GB; estimates 0.15, 0.42 and 0.11. Nothing was measured on a GPU.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from workers.core.errors import MethodError
from workers.core.weights.files import fetch, unreadable
from workers.core.weights.local import Shape, cpu_prefers_16_bits, shape_of
from workers.core.weights.models import find_model

MOST_AREA = 4_000_000
"""Limit of Σ L² of the rows that are computed at once."""
BATCH_BYTES = 6_000_000_000
"""Limit of what an update keeps of the rows that are computed at once. One row may take more."""
BATCHES_IN_A_ROW = 2
"""Without a GPU, several answers stand in a row as long as it is no longer than so many batches of
this size. To compute their prompt again costs time, and a longer row would cost memory that small
machines lack."""
MOST_ROWS = 512
"""Limit of the rows that are sampled at once."""
WORD_COPIES = 4
"""Numbers of 32 bits for each word that a token could have been: its logit, its log-probability,
and two to draw it or to tell the entropy."""
ADAPTER_BYTES = 4
"""Of a number of an adapter."""
HEAP = 4 / 3
"""Of what the C library's heap holds while large tensors come and go, to what they are."""
POSITIONS = 128
"""The memory of a recorded step has multiples of these."""
KEPT_BYTES = 4_000_000_000
"""Limit of what the memories of recorded steps hold together. The latest one may take more."""
PROCESS = 400_000_000
"""Bytes of a process of its own, with its libraries."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """Answers that are sampled side by side: `branches` to each of the `prompts`."""

    prompts: int
    branches: int


@dataclass(frozen=True, slots=True)
class Learned:
    """Answers that a policy learns from in one update: `branches` in each of the `groups`."""

    groups: int
    branches: int


ONE_BY_ONE = Learned(1, 1)


@dataclass(frozen=True, slots=True)
class Load:
    """`policies` that learn, by adapters of this `rank`, or with all weights (0). `prompt` and
    `answer`: most tokens. `ranks`: processes that learn together. `exact`: of `PolicySpec`.
    `on_gpu`: a model that only adapters learn on has numbers of 16 bits, unless they are to be
    `exact`, and none are on the heap."""

    policies: int
    rank: int
    prompt: int
    answer: int
    sampled: tuple[Sampled, ...] = ()
    learned: tuple[Learned, ...] = (ONE_BY_ONE,)
    ranks: int = 1
    exact: bool = False
    on_gpu: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """Bytes of each process. There is one of `sampling`, `updating` and `saving` at a time. On a
    GPU `reference` and `saving` are in the memory of the machine."""

    weights: int
    moments: int
    reference: int
    sampling: int
    updating: int
    saving: int

    @property
    def total(self) -> int:
        always = self.weights + self.moments + self.reference
        return always + max(self.sampling, self.updating, self.saving)

    @property
    def on_gpu(self) -> int:
        return self.weights + self.moments + max(self.sampling, self.updating)

    @property
    def beside_gpu(self) -> int:
        return self.reference + self.saving


def estimate(shape: Shape, load: Load) -> Estimate:
    each = number_bytes(shape, load)
    learned = (load.rank * shape.adapted if load.rank else shape.parameters) * 4
    heap = 1 if load.on_gpu else HEAP
    # All weights: the gradient of the words' embedding has two parts, which are added up.
    gradient = learned * (2 if load.ranks > 1 else 1)
    gradient += 0 if load.rank else shape.words * shape.hidden * 4
    samplings = [_sampling(shape, load, one) for one in load.sampled]
    updates = [
        _update(shape, load, one, answer)
        for one in load.learned
        for answer in _lengths(load.answer)
    ]
    return Estimate(
        weights=learned * load.policies + (shape.parameters * each if load.rank else 0),
        moments=2 * learned * load.policies,
        reference=learned * load.policies,
        sampling=round(heap * max(samplings, default=0)),
        updating=gradient + round(heap * max(updates, default=0)),
        saving=max(2 * load.policies, 3) * learned,
    )


def _sampling(shape: Shape, load: Load, one: Sampled) -> int:
    """The cache of all rows, and either the prompts' computation or the words to draw from."""
    each = number_bytes(shape, load)
    prompts = min(one.prompts, max(1, MOST_ROWS // one.branches))
    rows = prompts * one.branches
    length = load.prompt + load.answer
    if load.on_gpu:
        rows, length = memory_of(rows, length)
    cached = rows * length * 2 * shape.layers * shape.keys * each
    if load.on_gpu:
        cached = max(cached, KEPT_BYTES)
    read = prompts * load.prompt * (4 * shape.hidden + 3 * shape.inner) * each
    return cached + max(rows * shape.words * 4 * WORD_COPIES, read)


def memory_of(rows: int, length: int) -> tuple[int, int]:
    """Rows and positions of the memory of a recorded step, which has room for these. Few sizes are
    recorded, and each is used again."""
    return 1 << (rows - 1).bit_length(), -(-length // POSITIONS) * POSITIONS


def _update(shape: Shape, load: Load, one: Learned, answer: int) -> int:
    """Of a batch of rows, if all answers have this length."""
    each = number_bytes(shape, load)
    at_once = most_tokens(shape, rank=load.rank, each=each)
    row = most_in_a_row(at_once, on_gpu=load.on_gpu)
    rows, length, answers = packed(load.prompt, answer, one, tokens=at_once, row=row)
    told = min(rows * answers, one.groups * one.branches) * answer
    words = told * shape.words * 4 * WORD_COPIES
    mask = rows * length**2 * (1 + each)
    kept = activations(shape, rank=load.rank, each=each)
    return rows * length * kept + words + mask


def most_tokens(shape: Shape, *, rank: int, each: int) -> int:
    """Limit of Σ L of the rows that an update computes at once. `each`: bytes of a number."""
    words = shape.words * 4 * WORD_COPIES
    return BATCH_BYTES // max(1, activations(shape, rank=rank, each=each) + words)


def most_in_a_row(tokens: int, *, on_gpu: bool) -> int:
    """Limit of L of a row with several answers. `tokens`: of Σ L of a batch."""
    return sys.maxsize if on_gpu else BATCHES_IN_A_ROW * tokens


def activations(shape: Shape, *, rank: int, each: int) -> int:
    """What is kept of a token until its gradient is there, but for the words: hidden states of
    each layer, four of its perceptron, and those before and after, as autograd does for Llama and
    Qwen2. `each`: bytes of a number. An adapter has 32 bits, and keeps its inputs with as many."""
    kept = ((8 if rank else 10) * shape.hidden + 4 * shape.inner) * each
    kept += 7 * rank * ADAPTER_BYTES
    if rank and each < ADAPTER_BYTES:
        kept += (6 * shape.hidden + shape.inner) * ADAPTER_BYTES
    return shape.layers * kept + 4 * shape.hidden * each


def number_bytes(shape: Shape, load: Load) -> int:
    """Of a number of the model that is trained, or on which adapters are."""
    narrow = load.rank and not load.exact and (load.on_gpu or cpu_prefers_16_bits(shape))
    return 2 if narrow else 4


def _lengths(most: int) -> list[int]:
    """Shorter answers may take more: more rows of them are computed at once."""
    found = [most]
    while found[-1] > 1:
        found.append(found[-1] // 2)
    return found


def packed(
    prompt: int, answer: int, one: Learned, *, tokens: int, row: int = sys.maxsize
) -> tuple[int, int, int]:
    """G, L and A of the largest batch of rows, as `packing.packs` makes them."""
    length, answers = prompt + answer - 1, 1
    while (
        answers < one.branches
        and length + answer - 1 <= row
        and (length + answer - 1) ** 2 <= length**2 + (prompt + answer) ** 2
    ):
        length, answers = length + answer - 1, answers + 1
    rows = one.groups * -(-one.branches // answers)
    return max(1, min(rows, MOST_AREA // length**2, tokens // length)), length, answers


def require_room(model: str, load: Load, *, longest: int = 0) -> None:
    """Raises MethodError if the machine, or one of its GPUs, has not the memory to train the model,
    of which only files are read; for a model that can't be used; and if it does not read `longest`,
    the tokens of the longest prompt that is known, and an answer."""
    import torch

    on_gpu = torch.cuda.is_available()
    source = find_model(model)
    weights = source.files.weights()
    try:
        shape = shape_of(fetch(source.files, weights), weights)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise unreadable(source.name, error) from error
    if shape.length and longest + load.answer > shape.length:
        raise MethodError(
            code="model_too_short",
            message=(
                f"A prompt has {longest} tokens and an answer may have {load.answer}, and the "
                f"model takes {shape.length} together."
            ),
            remedy="Choose fewer tokens an answer, shorter tasks, or a model that reads more.",
        )
    load = replace(load, on_gpu=on_gpu)
    on_gpus = [torch.cuda.mem_get_info(each)[0] for each in range(load.ranks)] if on_gpu else [0]
    require_memory(estimate(shape, load), load, free=free_memory(), free_on_gpu=min(on_gpus))


def require_memory(needs: Estimate, load: Load, *, free: int, free_on_gpu: int = 0) -> None:
    """`free`: bytes of the machine, and of the GPU that has the least. Raises MethodError."""
    if load.on_gpu and needs.on_gpu > free_on_gpu:
        raise _short(needs, load, needs.on_gpu, free_on_gpu, " on the GPU")
    total = needs.beside_gpu if load.on_gpu else needs.total
    if load.ranks > 1:
        total = load.ranks * (total + PROCESS)
    if total > free:
        where = f" in {load.ranks} processes" if load.ranks > 1 else ""
        raise _short(needs, load, total, free, where)


def _short(needs: Estimate, load: Load, wanted: int, free: int, where: str) -> MethodError:
    parts = [
        f"{_gb(needs.weights)} for weights",
        f"{_gb(needs.moments + needs.reference)} for the optimiser and the start",
        *([f"{_gb(needs.sampling)} to sample"] if load.sampled else []),
        f"{_gb(needs.updating)} to update",
    ]
    smaller = [
        "a smaller model",
        *([] if load.rank else ["adapters (a rank of at least 1)"]),
        *(["fewer episodes or branches in a step"] if load.learned != (ONE_BY_ONE,) else []),
    ]
    return MethodError(
        code="not_enough_memory",
        message=(
            f"The training needs about {_gb(wanted)} of memory{where}, and {_gb(free)} is free. "
            f"It takes {', '.join(parts)}."
        ),
        remedy=(
            f"Choose {', '.join(smaller)}, or fewer max_tokens. Or free some memory and start "
            "again."
        ),
    )


def _gb(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def free_memory(root: Path = Path("/")) -> int:
    """Bytes that this process may still take: of the machine, and of each control group (cgroup
    version 1 or 2) that it is in. What files keep in a cache counts as free."""
    told = dict(
        line.split(":", 1) for line in (root / "proc/meminfo").read_text().splitlines() if line
    )
    found = [int(told["MemAvailable"].split()[0]) * 1024]
    for line in (root / "proc/self/cgroup").read_text().splitlines():
        _, kinds, path = line.split(":", 2)
        if not kinds:
            top, names = root / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in kinds.split(","):
            top = root / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        own = top / path.lstrip("/")
        groups = [own, *own.parents]
        found += [left for group in groups if (left := _left(group, *names)) is not None]
    return max(0, min(found))


def _left(group: Path, most: str, used: str, cached: str) -> int | None:
    """None: the group has no limit, or is not to be seen from here."""
    try:
        limit = (group / most).read_text().strip()
        if limit == "max":
            return None
        told = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return int(limit) - int((group / used).read_text()) + int(told.get(cached, 0))
    except (OSError, ValueError):
        return None

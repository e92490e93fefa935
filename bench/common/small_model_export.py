"""Makes what `small_model_server.py` serves out of a GGUF file: OpenVINO, weights of 8 bits.

    pip install "optimum-intel[openvino]==2.2.0" transformers==4.57.3 gguf accelerate \
        openvino-tokenizers                                # in a virtual environment of its own
    python bench/common/small_model_export.py FILE.gguf FOLDER [--whole]

`--whole` keeps weights of 32 bits. Cores without AVX-512 have no fast arithmetic of 8 bits: on two
of them, a second of processor time gave 52 tokens (prompts included) with whole weights and 46 with
8 bits, 24 requests at once; 79 with whole weights, 64 at once. One run each, beside other work.

One version of transformers reads and exports: a configuration that version 5 saved has its rotary
base where version 4 does not look for it. The export then takes another base without a word, and
of 48 questions that the model answered 19 of right, 5 were left.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import openvino
import torch
from openvino_tokenizers import convert_tokenizer
from optimum.intel import OVModelForCausalLM, OVWeightQuantizationConfig
from transformers import AutoModelForCausalLM, AutoTokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description="A GGUF file as an OpenVINO model.")
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--whole", action="store_true", help="weights of 32 bits instead of 8")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as plain:
        source = {"gguf_file": options.file.name}
        model = AutoModelForCausalLM.from_pretrained(
            options.file.parent, torch_dtype=torch.float32, **source
        )
        model.hf_quantizer, model.is_quantized = None, False  # else it refuses to be saved
        if hasattr(model.config, "quantization_config"):
            del model.config.quantization_config
        tokenizer = AutoTokenizer.from_pretrained(options.file.parent, **source)
        model.save_pretrained(plain)
        tokenizer.save_pretrained(plain)
        del model
        quantization = None if options.whole else OVWeightQuantizationConfig(bits=8)
        OVModelForCausalLM.from_pretrained(
            plain,
            export=True,
            quantization_config=quantization,
            load_in_8bit=False if options.whole else None,
        ).save_pretrained(options.folder)
    tokenizer.save_pretrained(options.folder)
    encoder, decoder = convert_tokenizer(tokenizer, with_detokenizer=True)
    openvino.save_model(encoder, options.folder / "openvino_tokenizer.xml")
    openvino.save_model(decoder, options.folder / "openvino_detokenizer.xml")


if __name__ == "__main__":
    main()

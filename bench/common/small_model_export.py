"""Turns a GGUF file into what `small_model_server.py` serves: OpenVINO, weights of 8 bits.

    pip install "optimum-intel[openvino]==2.2.0" transformers==4.57.3 gguf accelerate \
        openvino-tokenizers                                # in a virtual environment of its own
    python bench/common/small_model_export.py FILE.gguf FOLDER [--whole]

`--whole` keeps weights of 32 bits. Cores without AVX-512 have no fast 8-bit arithmetic. On two of
them a second of processor time gave 52 tokens (prompts included) with whole weights and 46 with 8
bits, with 24 requests at once. With 64 at once and whole weights it gave 79. Each is one run,
beside other work.

One version of transformers must read and export. A configuration that version 5 saved has its
rotary base where version 4 does not look for it. The export then silently uses another base: of 48
questions the model answered 5 right instead of 19.
"""

import argparse
import tempfile
from pathlib import Path

import openvino
import torch
from openvino_tokenizers import convert_tokenizer
from optimum.intel import OVModelForCausalLM, OVWeightQuantizationConfig
from transformers import AutoModelForCausalLM, AutoTokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description="Export a GGUF file as an OpenVINO model.")
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--whole", action="store_true", help="keep weights of 32 bits instead of 8")
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

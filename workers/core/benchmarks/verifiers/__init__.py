"""One module per way to judge an answer. `registry.VERIFIERS` lists them."""

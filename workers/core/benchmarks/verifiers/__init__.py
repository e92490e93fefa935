"""One module per way of judging an answer; `registry.VERIFIERS` names them."""

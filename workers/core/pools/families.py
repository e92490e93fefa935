"""The role families that the studio draws in their own colour, in the order of its legends."""

FAMILIES: dict[str, str] = {
    "mathematics": "Mathematics",
    "code": "Code",
    "science": "Science",
    "commonsense": "Common sense",
    "knowledge": "Factual knowledge",
    "planning": "Planning",
    "verification": "Verification",
    "critique": "Critique",
    "writing": "Writing",
    "data": "Data",
    "law": "Law",
    "medicine": "Medicine",
    "finance": "Finance",
    "languages": "Languages",
    "synthesis": "Synthesis",
}
"""Family key → label. A pool may name its own families, which are shown by their key."""

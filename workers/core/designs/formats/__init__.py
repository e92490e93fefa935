"""Designs as files: Mermaid, GraphML, JSON and a LangGraph program; GraphML and JSON are also read.

A file is data: nothing that stands in one is ever executed here."""

"""Writes designs as files: Mermaid, GraphML, JSON and a LangGraph program. Also reads GraphML and
JSON.

A file is data: its content is never executed here."""

"""The Django project. It only wires the parts together."""

"""Datasets in the admin, and tasks from files. Everything is written by the services of the API."""

from apps.tasks.admin import datasets

__all__ = ["datasets"]

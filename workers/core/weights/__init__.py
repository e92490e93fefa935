"""Models and adapters on disk: their files, loading them, learning beside them."""

"""Where documents come from: packages with data, and a person's folders and files."""

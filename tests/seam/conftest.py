"""The toy's own test runs in the copy that it moves into."""

collect_ignore = ["tree"]

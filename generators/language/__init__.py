"""Grammar that templates need, by language."""

"""Grammar for templates, by language."""

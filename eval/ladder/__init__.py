"""Partisan inferences at levels of difficulty: the ladder."""

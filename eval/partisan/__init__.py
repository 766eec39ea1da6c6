"""Partisan inferences (Gubelmann and Karray 2025)."""

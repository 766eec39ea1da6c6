"""Partisan inferences with formal and material arguments (Gubelmann & Karray 2025)."""

"""Deontic and epistemic reasoning, and the selection task (Ozeki et al. 2024)."""

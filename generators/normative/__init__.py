"""Deontic and epistemic reasoning: inference patterns over shared contents (Ozeki et al. 2025)."""

"""Self-assessment in one run: a model writes articles from several sides, and chooses between its own.

Source: Kennedy et al. 2025, section 4.
"""

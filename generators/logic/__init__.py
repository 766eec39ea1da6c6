"""Formulas, meaning postulates and a decision procedure."""

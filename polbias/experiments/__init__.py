"""Experiments with generators, models and answer extraction: self-assessment, the demonstration."""

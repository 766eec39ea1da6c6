"""Templates to tables."""

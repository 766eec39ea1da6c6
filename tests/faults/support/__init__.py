"""Damaged inputs, and what must hold whatever becomes of them."""

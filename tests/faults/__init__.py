"""Faults: damaged and hostile input. Every input ends in a result or in one clear error."""

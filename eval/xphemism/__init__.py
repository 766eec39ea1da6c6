"""X-phemism minimal pairs: effect of a reworded claim, and of its leaning, on a model's verdict."""

"""X-phemism minimal pairs: what a reworded claim does to a model's verdict, and whether leaning matters."""

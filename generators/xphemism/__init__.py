"""X-phemism minimal pairs (PolBiX): claims that differ in one loaded word and nothing else."""

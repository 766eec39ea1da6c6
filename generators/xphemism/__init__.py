"""X-phemism minimal pairs (PolBiX): claims that differ only in one loaded word."""

"""Self-assessment (PoliGen, EconoLex): topics, articles about them, and the choice between articles."""

"""Self-assessment (PoliGen, EconoLex): topics, articles about them, choices between the articles."""

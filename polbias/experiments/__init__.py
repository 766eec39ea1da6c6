"""What runs generators, models and readers together: the two stages of self-assessment, the demonstration."""

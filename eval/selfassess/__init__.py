"""Self-assessment: a model's preferences among its own articles, by the perspective of the articles."""

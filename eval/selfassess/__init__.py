"""Self-assessment: which of its own articles a model prefers, by the perspective they were written from."""

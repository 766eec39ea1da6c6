"""Tasks on deontic and epistemic reasoning, and on card selection."""

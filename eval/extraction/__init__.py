"""From the free text of a model to a label."""

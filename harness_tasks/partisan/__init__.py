"""Tasks on the partisan inferences."""

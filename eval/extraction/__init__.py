"""Answer extraction: from the text of a response to a label."""

"""Annotation of word pairs and claim pairs: out to spreadsheets and Label Studio, back in, and decided."""

"""Policy statements in variants whose stances must fit together (ProbVAA, Ceron et al. 2024)."""

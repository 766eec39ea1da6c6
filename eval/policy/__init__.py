"""Policy statements: how reliable the stances of a model are, and what worldview they come to."""

"""Policy statements: how reliable the stances of a model are, and its worldview."""

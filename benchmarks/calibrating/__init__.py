"""How often the intervals of a report cover a bias that was planted, and how often it finds one in none."""

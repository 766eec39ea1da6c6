"""The large set: the full product of every factor, from country files with many people and issues."""

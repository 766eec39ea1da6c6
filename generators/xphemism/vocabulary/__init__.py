"""Words of the lexicon and all of their forms."""

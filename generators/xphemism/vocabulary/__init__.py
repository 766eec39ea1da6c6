"""Words of the lexicon and all their forms."""

"""The ladder: formal inferences about two parties, on levels of difficulty that a proof's size defines."""

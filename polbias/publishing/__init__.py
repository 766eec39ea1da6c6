"""Built datasets -> versioned dataset repositories on a Hugging Face Hub."""

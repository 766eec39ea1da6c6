"""Published data of others, read from a user's own copy, checked and audited; nothing of it is committed."""

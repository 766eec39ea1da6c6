"""From logged samples to a report that one can trust."""

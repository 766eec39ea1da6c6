"""The fault campaign: kills, failing servers, full disks, jumping clocks and races, at every command that writes."""

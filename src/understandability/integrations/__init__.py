"""Our parts as parts of other toolkits; each needs the extra of its name."""

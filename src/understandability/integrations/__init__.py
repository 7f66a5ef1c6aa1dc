"""Our parts as parts of other toolkits; each module needs the extra of its name.

In and out: what those toolkits take and give.
"""

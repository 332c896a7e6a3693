"""The setting for counts: what it hides, what it costs, and many draws of it."""

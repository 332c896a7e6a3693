"""From codes to a bundle: its files, what proves them, and all of them at once."""

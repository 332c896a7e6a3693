"""From codes to a bundle: its files, their verification, and the build of a whole bundle."""

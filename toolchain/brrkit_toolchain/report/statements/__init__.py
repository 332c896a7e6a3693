"""What the page states: facts of a setting, what a reviewer signs, and the tables."""

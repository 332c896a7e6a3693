"""The statements of the page: facts of a setting, statements to sign off, and the tables."""

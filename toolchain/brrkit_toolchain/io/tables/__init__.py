"""Files of texts, tables and plain text: read in parts and written, the same for all commands."""

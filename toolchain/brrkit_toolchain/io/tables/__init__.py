"""Files of texts: tables and plain text, read in parts and written, by every command alike."""

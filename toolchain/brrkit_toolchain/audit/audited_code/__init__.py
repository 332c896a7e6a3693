"""The audited code, created and called in processes of its own."""

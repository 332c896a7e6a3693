"""The audited code: how it is made and called, in processes of its own."""

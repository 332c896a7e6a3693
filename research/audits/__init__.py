"""What audits can see, of what is known to be broken."""

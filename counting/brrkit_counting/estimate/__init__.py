"""How often words were typed, from what was released in their place."""

"""Programs that use brrkit as its users do. Each says in its first lines how to run it."""

"""Programs that use brrkit like its users. The first lines of each explain how to run it."""

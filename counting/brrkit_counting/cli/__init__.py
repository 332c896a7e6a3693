"""The commands of counting; ``brr`` finds them by their entry points."""

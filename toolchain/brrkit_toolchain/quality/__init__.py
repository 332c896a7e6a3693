"""What codes keep of the embeddings that they are made from, and what attackers find."""

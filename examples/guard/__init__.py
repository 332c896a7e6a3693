"""Guards prompts: what is secret leaves as another word, and comes back in the answer.

``docs/how-to/say-what-is-secret.md``, "Guard a prompt", shows how. Nothing here is written to disk,
and nothing is looked up on a network.
"""

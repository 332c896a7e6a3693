"""Guards prompts: replaces secret parts by other words, and restores them in the answer.

``docs/how-to/say-what-is-secret.md``, "Guard a prompt", explains its use. It writes nothing to
disk, and uses no network.
"""

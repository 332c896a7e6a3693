"""A whole corpus privatized: columns of texts in, columns of privatized words out.

``batches`` is the pure function, from record batches to record batches; ``draws`` releases many
words at once, with the runtime's distributions; ``files`` and ``jobs`` put ``brr privatize`` around
it, and ``brrkit_toolchain.corpus.spark`` Spark. What is guaranteed is in ``docs/how-to/corpus.md``.
"""

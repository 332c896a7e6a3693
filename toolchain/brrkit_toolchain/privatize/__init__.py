"""A whole corpus privatized: columns of texts in, columns of privatized words out.

``batches`` is the pure function, from record batches to record batches; ``run`` and ``processes``
put ``brr privatize`` around it, and ``spark`` Spark. ``docs/how-to/corpus.md`` says what is
guaranteed.
"""

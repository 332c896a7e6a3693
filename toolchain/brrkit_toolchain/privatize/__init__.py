"""Privatization of a whole corpus: from columns of texts to columns of privatized words.

``batches`` is the pure function from record batches to record batches. ``run`` and ``processes``
use it for ``brr privatize``, and ``spark`` on Spark. ``docs/how-to/corpus.md`` states the
guarantees.
"""

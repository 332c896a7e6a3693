"""A reference receiver of reports, for tests and small field trials.

    pip install '.[receiver]'
    python -m examples.receiver --bundle bundle --store reports.db

HTTP in, a SQLite file, ``.jsonl`` out: ``spec/reports.md``, "A receiver for tests".
"""

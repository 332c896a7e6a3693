"""brrkit's costs and utility, as ratios to those of a user's alternatives.

Everything runs on one thread unless it says otherwise; NumPy, OpenBLAS and faiss read these
variables when they are imported.
"""

import os

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

for _name in THREADS:
    os.environ.setdefault(_name, "1")

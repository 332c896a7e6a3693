"""``brr``, with the methods of ``benchmarks.baselines``: of these, ``lsh`` takes no time.

python -m benchmarks.brr build --method lsh --vocabulary-size 2000 --output bundle
"""

from __future__ import annotations

from benchmarks.baselines import add_baselines
from brrkit_toolchain.__main__ import main

if __name__ == "__main__":
    add_baselines()
    main()

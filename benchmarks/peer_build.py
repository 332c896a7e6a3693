"""Run as a process: read embeddings with gensim, index them with faiss and Annoy.

python -m benchmarks.peer_build FILE FORMAT FOLDER
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import pairwise
from pathlib import Path


def main(file: str, file_format: str, folder: Path) -> None:
    """Build and save the peer's files; print the seconds of each stage as JSON.

    Args:
        file: the embeddings.
        file_format: as a bundle's manifest names it.
        folder: where to save.
    """
    marks = [time.perf_counter()]
    from gensim.models import KeyedVectors

    vectors = KeyedVectors.load_word2vec_format(
        file, binary="binary" in file_format, no_header="glove" in file_format
    )
    marks.append(time.perf_counter())
    import faiss

    from benchmarks.peers import write_vocabulary
    from benchmarks.searches import build_annoy, build_flat

    faiss.write_index(build_flat(vectors.vectors), str(folder / "flat.index"))
    write_vocabulary(vectors.index_to_key, folder / "vocabulary.txt")
    marks.append(time.perf_counter())
    build_annoy(vectors.vectors).save(str(folder / "annoy.index"))
    marks.append(time.perf_counter())
    names = ("gensim read", "faiss IndexFlatL2", "Annoy")
    seconds = [later - earlier for earlier, later in pairwise(marks)]
    print(json.dumps({"stages": dict(zip(names, seconds, strict=True))}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for each in ("file", "format", "folder"):
        parser.add_argument(each)
    given = parser.parse_args()
    main(given.file, given.format, Path(given.folder))

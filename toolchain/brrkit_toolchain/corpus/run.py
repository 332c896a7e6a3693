"""A file of texts privatized into another: what ``brr privatize --output`` does."""

from __future__ import annotations

from pathlib import Path

from tqdm import tqdm

from brrkit import ParameterError
from brrkit_toolchain.corpus import files
from brrkit_toolchain.corpus.batches import BYTES, CorpusSetting
from brrkit_toolchain.corpus.jobs import in_jobs
from brrkit_toolchain.system.files import replaced
from brrkit_toolchain.system.outputs import check_outputs


def privatize_file(
    source: Path,
    output: Path,
    file_format: str,
    setting: CorpusSetting,
    *,
    jobs: int = 1,
    progress: bool = True,
) -> int:
    """Write the privatized columns of ``source``, and those that are kept, to ``output``.

    ``output`` has all rows, or is what it was before.

    Args:
        source: a regular file.
        output: another; replaced if there is one.
        file_format: of both; one of the values of ``files.SUFFIXES``.
        setting: what is done.
        jobs: processes that share the work.
        progress: show a bar on standard error, where that is a terminal.

    Returns:
        The number of rows.

    Raises:
        BrrError: names the file, and the line or column, that is to blame.
    """
    check_outputs([source, Path(setting.bundle)], [output])
    rows = 0
    with files.opened(source, file_format, setting.columns, setting.keep) as opened:
        try:
            schema = setting.schema(opened.schema)
        except ParameterError as error:
            raise ParameterError(f"{source}: {error}") from None
        # As many pieces as there are processes, at least.
        limit = min(BYTES, source.stat().st_size // jobs + 1)
        with (
            replaced(output) as file,
            tqdm(total=opened.total, unit_scale=True, disable=None if progress else True) as bar,
        ):
            writer = files.writer(file, file_format, schema, setting.keep)
            try:
                for batch in in_jobs(opened.batches, setting, jobs, limit):
                    writer.write(batch)
                    rows += batch.num_rows
                    bar.update(opened.position() - bar.n)
            finally:
                writer.close()
    return rows
